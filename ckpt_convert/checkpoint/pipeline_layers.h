// The layers of a DeepSpeed pipeline, each saved by the stage that has it, and the optimizer of each stage.
//
//   layer_NN[-model_TT]-model_states.pt   {NAME: tensor}; NN: the number of the layer in the pipeline's list
//   mp_rank_MM_model_states.pt            of a stage: param_shapes with the names that its parameters have in the pipeline
//   *_mp_rank_MM_optim_states.pt          its optimizer, see EngineFiles; without ZeRO there are none
//
// What a layer is the program's own list says alone, so that its tensors get the names that they have in the pipeline as a module:
// "NN.NAME", or "tied_modules.KEY.NAME" of a layer that several places of the list share.
#pragma once

#include <string_view>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

namespace ckpt {

bool is_pipeline_layer(std::string_view file);

Result<ShardedCheckpoint> open_pipeline_layers(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
