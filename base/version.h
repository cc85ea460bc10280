// The version of both programs: that of the CMake project.
#pragma once

#include <string_view>

namespace base {

extern const std::string_view kVersion;

}  // namespace base
