// Checkpoints that Megatron wrote before megatron-core, read as those of megatron-core.
#pragma once

#include "ckpt_convert/open/source.h"

namespace ckpt {

// Finds out whether it is such a checkpoint, and gives its tensors the names of megatron-core then.
Status name_as_core(const Knowledge& knowledge, MegatronCheckpoint& checkpoint);

// A Megatron checkpoint of either kind, with the names of megatron-core.
Result<MegatronCheckpoint> open_megatron(base::FileSystem& fs, const Knowledge& knowledge, const Path& directory);

// Has the rows of Q, K and V of an old version where newer ones have them. Fails with unsupported when that is not known.
Status order_qkv(const LegacyNames& names, MegatronCheckpoint& checkpoint, const Model& model);

}  // namespace ckpt
