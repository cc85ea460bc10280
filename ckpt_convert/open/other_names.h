// Checkpoints of whole tensors under the names of a program that are not Hugging Face's.
#pragma once

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/mapping/naming.h"
#include "ckpt_convert/plan/layout.h"

namespace ckpt {

// Which of its names the tensors have, and how many rows their vocabulary. Fails with unsupported where the program does not
// have models of the family.
Result<HfVariant> variant_under(const Naming& names, const ModelMapping& mapping, const TensorIndex& index);

}  // namespace ckpt
