// CopyCheck: compares what a checkpoint holds twice, as copies that models usually keep equal, bit by bit.
#pragma once

#include <vector>

#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/plan/source_binding.h"

namespace ckpt {

// For each of SourceBinding::copies whether it holds the bits that are read for its tensor. Reads the tensors that have copies
// once, and each copy up to the first tile that differs; memory is that of a few tiles.
base::Result<std::vector<bool>> equal_copies(const Model& model, const TensorIndex& index,
                                             const SourceBinding& binding);

}  // namespace ckpt
