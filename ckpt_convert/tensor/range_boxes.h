// Cuts a range of the elements of a tensor, counted in row-major order, into boxes.
#pragma once

#include <cstdint>
#include <vector>

#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

struct RangeBox {
    Shape offsets;
    Shape sizes;
    std::uint64_t first = 0;  // the number of its first element; the others follow it without a gap
};

// The elements from `begin` to `end` of a tensor of this shape, in their order: at most two boxes per axis. `end` is at most
// the number of elements. A tensor without axes is one box.
std::vector<RangeBox> boxes_of_range(const Shape& shape, std::uint64_t begin, std::uint64_t end);

}  // namespace ckpt
