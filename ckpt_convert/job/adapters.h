// How many parameters LoRA's adapters of a layer have on one rank.
#pragma once

#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/job/training_job.h"

namespace ckpt {

// Two factors of LoRA's rank for each linear layer of the attention and the MLPs. The factor beside the split side of a
// weight is split with it, the other one is whole on each rank.
double adapter_parameters(const ModelShape& model, const LayerShape& layer, const TrainingJob& job);

}  // namespace ckpt
