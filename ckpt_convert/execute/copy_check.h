// CopyCheck: compares bit by bit what a checkpoint usually holds as copies, or as zeros, and what is not carried therefore.
#pragma once

#include <vector>

#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/plan/source_binding.h"

namespace ckpt {

// For each of SourceBinding::copies whether it holds the bits that are read for its tensor. Reads the tensors that have copies
// once, and each copy up to the first tile that differs; memory is that of a few tiles.
Result<std::vector<bool>> equal_copies(const Model& model, const TensorIndex& index, const SourceBinding& binding);

// Of SourceBinding::padding the tensors that hold anything but zeros there.
Result<std::vector<std::uint32_t>> filled_padding(const TensorIndex& index, const SourceBinding& binding);

}  // namespace ckpt
