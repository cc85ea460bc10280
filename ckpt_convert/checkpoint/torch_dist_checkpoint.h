// The weights of a torch_dist checkpoint, seen as a Megatron checkpoint of one rank.
#pragma once

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/checkpoint/optimizer_files.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

namespace ckpt {

// Fills the index, the arguments and the one rank of `checkpoint`, whose directory is set. Layers that share a name,
// stored with a leading axis, are listed one by one: "model/decoder.layers.3.mlp.linear_fc2.weight". Optimizer and
// random states are skipped.
Status read_torch_dist_weights(base::FileSystem& fs, MegatronCheckpoint& checkpoint);

// The states of the weights, by kOptimizerStates; tensors have the names of their weights. Fails with unsupported when the
// run stored them in the order of its own buffers, which nothing else can undo.
struct TorchDistStates {
    OptimizerFiles files;  // without ranks
    std::array<TensorIndex, kOptimizerStates.size()> tensors;
};
Result<TorchDistStates> read_torch_dist_states(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
