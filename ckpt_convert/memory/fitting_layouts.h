// Layouts of a training over its devices, the least split first.
#pragma once

#include <vector>

#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/job/training_job.h"

namespace ckpt {

// Jobs with every TP inside a node, PP and EP that divide, and no global batch that does not; each without recomputation, then
// with all layers computed again unless the job says what is. Whether they are legal is for their rules to say.
std::vector<TrainingJob> possible_layouts(const ModelShape& model, const TrainingJob& job);

}  // namespace ckpt
