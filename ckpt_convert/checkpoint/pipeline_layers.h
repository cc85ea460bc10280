// The layers of a DeepSpeed pipeline, each saved by the stage that has it.
//
//   layer_NN[-model_TT]-model_states.pt   {NAME: tensor}; NN: the number of the layer in the pipeline's list
//
// What a layer is the program's own list says alone, so that its tensors get the names that they have in the pipeline as a module:
// "NN.NAME".
#pragma once

#include <string_view>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

namespace ckpt {

bool is_pipeline_layer(std::string_view file);

// The state of the optimizer, which its stages have, is refused. Fails with unsupported for layers that tensor parallel ranks share.
Result<ShardedCheckpoint> open_pipeline_layers(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
