// check_decisive: the saved arguments that change what the weights mean, against the model's family.
#pragma once

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

// Fails with unsupported where the family has the opposite. It has each as a literal, or it follows from what is known otherwise.
Status check_decisive(const Knowledge& knowledge, const ModelMapping& mapping, const MegatronCheckpoint& checkpoint);

}  // namespace ckpt
