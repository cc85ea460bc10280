// Tensors of zeros that no file holds, to be read like all others.
#pragma once

#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

// Adds a tensor of zeros, and returns its number in `index`.
std::uint32_t add_zeros(TensorIndex& index, DType dtype, const Shape& shape);

}  // namespace ckpt
