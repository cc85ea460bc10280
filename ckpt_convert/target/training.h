// The state of the optimizer, on its way with the weights from one Megatron layout to another.
#pragma once

#include <string>

#include "ckpt_convert/checkpoint/optimizer_files.h"
#include "ckpt_convert/execute/comparer.h"
#include "ckpt_convert/plan/state_source.h"
#include "ckpt_convert/plan/training_state.h"
#include "ckpt_convert/target/megatron_target.h"

namespace ckpt {

// An opened state that belongs to the weights of its checkpoint.
struct Training {
    OptimizerFiles files;
    StateSource states;
    std::string schedule_title;  // of a schedule that another checkpoint than Megatron's has; empty: there is none
};

// Opens the state beside the weights of `source`, and sets what the options leave open: the iteration goes on, the modules
// stay what they are. Fails with usage when an option contradicts that, else as open_optimizer_files().
Result<Training> open_training(base::FileSystem& fs, const Knowledge& knowledge, const Source& source,
                               ConvertOptions& options);

// Adds the state to the plan of the weights, and its files to the index of `source`. `training` must outlive the layout of
// the output.
Result<TrainingState> carry_training(const Training& training, Source& source, const MegatronTarget& target,
                                     const ConvertOptions& options, ConversionPlan& plan);

// What verify finds in the state beside the weights of `source`.
struct StateFindings {
    std::vector<TensorDifference> differences;
    std::string note;  // what was checked, or why nothing
};
// Reads every state: values that are not finite, weights that are not their copies in full precision, rounded. Fails with
// bad_input when files are missing, damaged, or not those of the weights.
Result<StateFindings> verify_training(base::FileSystem& fs, const Knowledge& knowledge, const Source& source,
                                      const CompareOptions& options);

}  // namespace ckpt
