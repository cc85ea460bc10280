// The version that --version prints and reports carry.
#pragma once

#include <string_view>

namespace migrator {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace migrator
