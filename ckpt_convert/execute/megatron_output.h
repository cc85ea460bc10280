// The rank files of a Megatron `torch` checkpoint, laid out.
#pragma once

#include <cstdint>
#include <string>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"
#include "ckpt_convert/plan/layout.h"
#include "ckpt_convert/plan/training_state.h"

namespace ckpt {

// What every file of a Megatron checkpoint says besides the weights.
struct CheckpointState {
    Json args;  // argparse.Namespace
    DType params_dtype = DType::bf16;
    std::uint64_t iteration = 0;              // 0 with a release checkpoint
    std::string directory;                    // "iter_0000001" or "release"
    bool extra_states = false;                // write the "_extra_state" entries that Transformer Engine asks for
    bool layers_apart = false;                // see ModelMapping
    const TrainingState* training = nullptr;  // of the optimizer; nullptr: weights alone
};

// One model_optim_rng.pt per rank below the iteration's directory, and what the optimizer has beside it.
Result<OutputPlan> megatron_output(const ConversionPlan& plan, const ParallelLayout& layout,
                                   const CheckpointState& state);

// The dict that all files share, without weights: args, checkpoint_version, iteration.
pickle::Value* common_state(TorchFilePlan& file, const CheckpointState& state);

// The element type of most of the weights.
DType main_dtype(const ConversionPlan& plan);

}  // namespace ckpt
