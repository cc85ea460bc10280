// The files of a universal checkpoint of DeepSpeed, laid out: any ZeRO stage loads it, on any number of ranks.
//
//   latest_universal                            the name of the directory
//   NAME/mp_rank_00_model_states.pt             counts of steps; shapes; buffers
//        zero_pp_rank_0_mp_rank_00_model_states.pt    the same, where ZeRO 3 looks for it
//        zero/optimizer_state.pt                settings of the groups, the step
//        zero/PARAMETER/{fp32,exp_avg,exp_avg_sq}.pt  {"param": TENSOR, "cat_dim": 0}
//                       step.pt                 a tensor without axes
#pragma once

#include <string>

#include "ckpt_convert/execute/named_training.h"
#include "ckpt_convert/execute/output_plan.h"

namespace ckpt {

inline constexpr const char* kUniversalTracker = "latest_universal";

// "global_step20_universal"
std::string universal_directory(const NamedTraining& training);

// All tensors but buffers must be float32, which is for the caller to see to.
Result<OutputPlan> universal_output(const ConversionPlan& plan, const NamedTraining& training);

}  // namespace ckpt
