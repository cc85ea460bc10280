// Shape: the extents of a tensor, outermost first, with overflow-checked products.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

using Shape = std::vector<std::uint64_t>;

// Product of the extents (1 for a scalar, 0 when one of them is 0); nullopt when the product of those that are not 0
// overflows 64 bits.
std::optional<std::uint64_t> checked_elements(const Shape& shape);

// Bytes of a dense tensor; nullopt on overflow or when the bits do not fill whole bytes.
std::optional<std::uint64_t> checked_bytes(const Shape& shape, DType dtype);

// Strides in elements of a dense row-major tensor, as PyTorch counts them: [5, 0] has strides [1, 1].
// For shapes that passed `checked_elements`.
std::vector<std::uint64_t> row_major_strides(const Shape& shape);

std::string to_string(const Shape& shape);  // "[4096, 11008]"

}  // namespace ckpt
