// The weights of a torch_dist checkpoint, seen as a Megatron checkpoint of one rank.
#pragma once

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"

namespace ckpt {

// Fills the index, the arguments and the one rank of `checkpoint`, whose directory is set. Layers that share a name,
// stored with a leading axis, are listed one by one: "model/decoder.layers.3.mlp.linear_fc2.weight". Optimizer and
// random states are skipped.
base::Status read_torch_dist_weights(base::FileSystem& fs, MegatronCheckpoint& checkpoint);

}  // namespace ckpt
