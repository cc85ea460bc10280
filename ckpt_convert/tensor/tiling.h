// Checks that boxes make up a tensor: every element lies in exactly one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

struct Box {
    std::span<const std::uint64_t> offsets;
    std::span<const std::uint64_t> sizes;
};

// What is wrong, as in "the chunk at [0, 0] has 3 axes, not 2"; nullopt when nothing is. `shape` has passed
// checked_elements. Near-linear in the number of boxes when they form a grid, or can be cut apart along whole planes.
std::optional<std::string> tiling_problem(const Shape& shape, const std::vector<Box>& boxes);

}  // namespace ckpt
