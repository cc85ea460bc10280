// What a planned layout is called, and the commands that make its checkpoint and its scripts.
#pragma once

#include <string>

#include "ckpt_convert/app/training_plan.h"

namespace ckpt {

// "TP 2 x PP 4 x EP 8, DP 2, micro-batch 4"
std::string layout_title(const TrainingJob& job);
// `model`: as the command names it; empty: somebody's.
std::string conversion_command(const TrainingPlan& plan, const TrainingJob& job, const std::string& model);
// Empty where there are no such scripts: for GPUs, and in other precisions than bf16.
std::string scripts_command(const TrainingPlan& plan, const JobPlan& one, const std::string& model);

}  // namespace ckpt
