// LayerLists: the best layers for the stages of a pipeline without virtual stages, for time and for memory.
#pragma once

#include <optional>

#include "ckpt_convert/step_time/layer_split.h"
#include "ckpt_convert/step_time/step_time.h"

namespace ckpt {

struct LayerLists {
    LayerSplit fastest;   // `most`: seconds of a micro-batch on the slowest stage; `most_other`: bytes of the fullest
    LayerSplit lightest;  // the same, with the least bytes on the fullest stage
};

// Weights, gradients, states and what is kept for the backward passes in flight count as bytes; what works for a moment does not.
// Nothing with one stage, with virtual stages, or with fewer layers than stages.
std::optional<LayerLists> layer_lists(const TrainingJob& job, const ModelShape& model, const MicroTime& micro,
                                      bool npu);

}  // namespace ckpt
