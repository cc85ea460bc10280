// Undoes the flattening of tensors, of which Megatron's distributed optimizer stores ranges up to version 0.15.
//
//   [X, Y] in parts of [x, y]  is stored as  [X / x, Y / y, x * y], cut anywhere along the last axis
#pragma once

#include <optional>

#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

namespace ckpt {

// The tensor of shape `whole` that `stored` is the flattened form of: every chunk becomes the boxes that it is made of.
// nullopt when the shapes do not belong together. The chunks of `stored` have passed tiling_problem().
std::optional<TorchDistTensor> unflattened(const TorchDistTensor& stored, const Shape& whole);

}  // namespace ckpt
