// The parameters that a rank of a stage holds, after all splits.
#pragma once

#include <vector>

#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/job/training_job.h"

namespace ckpt {

struct StageWeights {
    double dense = 0, experts = 0;
    double adapters = 0;  // of LoRA
    double frozen = 0;    // of towers that are not trained
    double largest = 0;   // of one weight of a layer
    double distinct = 0;  // of one weight of each shape
};

// What else than layers a stage has.
struct StageParts {
    bool embedding = false, norm = false, modules = false, head = false;
};
StageParts stage_parts(const ModelShape& model, const TrainingJob& job, const Placement& placement, int stage);

// `chunks`: the layers of the stage. Copies of the embedding that ties and multi-token prediction need are counted.
StageWeights stage_weights(const ModelShape& model, const TrainingJob& job,
                           const std::vector<std::vector<LayerSlot>>& chunks, const StageParts& parts, int stage);

}  // namespace ckpt
