// KernelShapes: shapes of the inputs or outputs of a kernel, as its table writes them: "4096,2048;8,2048,1408;;8".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace migrator {

using KernelShape = std::vector<std::int64_t>;  // empty: of an input that is missing, or a scalar

// What is no number ends the list: names of shapes are none.
std::vector<KernelShape> kernel_shapes(std::string_view text);

}  // namespace migrator
