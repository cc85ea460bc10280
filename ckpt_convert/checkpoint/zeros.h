// Tensors of zeros that no file holds, to be read like all others.
#pragma once

#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

// Adds a tensor of zeros, and returns its number in `index`.
std::uint32_t add_zeros(TensorIndex& index, DType dtype, const Shape& shape);

// Whether it stands for such a tensor, and is no file.
bool is_zeros(const base::ReadableFile& file);

}  // namespace ckpt
