// What a checkpoint says and holds beside its weights, so that a training run goes on from it.
#pragma once

#include <cstdint>
#include <string_view>

#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"
#include "ckpt_convert/plan/training_state.h"

namespace ckpt {

// Adds parameter groups and schedule to the dict of a rank file, or to the common state of torch_dist. The values of the
// source are referred to until the file is laid out. Fails with unsupported when they are more than plain values.
Status add_training_state(TorchFilePlan& file, pickle::Value* root, const TrainingState& state, std::size_t rank,
                          bool torch_dist);

// Fails with unsupported unless the value is a number, a text, or made of such: what means the same in every file.
Status require_plain(pickle::Ref value, std::string_view what);

// Adds the distrib_optim.pt beside each rank file of `output`, which has one file per rank.
Status add_state_files(OutputPlan& output, const ConversionPlan& plan, const TrainingState& state);

}  // namespace ckpt
