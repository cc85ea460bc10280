// The roads on which projects that build on Megatron go to the NPU; a rule may be for one of them only.
#pragma once

#include <array>
#include <string_view>

namespace migrator {

// The first one is taken where none is chosen.
inline constexpr auto kMegatronRoads = std::to_array<std::string_view>({"mindspeed", "adaptor"});

}  // namespace migrator
