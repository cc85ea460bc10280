// Checkpoints that Megatron wrote before megatron-core, read as those of megatron-core.
#pragma once

#include "ckpt_convert/open/source.h"

namespace ckpt {

// Finds out whether it is such a checkpoint, and gives its tensors the names of megatron-core then.
Status name_as_core(const Knowledge& knowledge, MegatronCheckpoint& checkpoint);

// A Megatron checkpoint of either kind, with the names of megatron-core.
Result<MegatronCheckpoint> open_megatron(base::FileSystem& fs, const Knowledge& knowledge, const Path& directory);

// Old versions store the rows of Q, K and V of a fused tensor in another order. Puts parts with the order of newer ones in the index
// in place of such a tensor, and a note in `source`. Fails with unsupported for a version whose order is not known, and for models that it was not made for.
Status order_qkv(const LegacyNames& names, MegatronCheckpoint& checkpoint, Source& source);

}  // namespace ckpt
