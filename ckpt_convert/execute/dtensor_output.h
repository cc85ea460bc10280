// The files of DTensors that ranks load each its own of, laid out as verl names them.
//
//   model_world_size_W_rank_R.pt    {NAME: DTensor, BUFFER: TENSOR}
//   optim_world_size_W_rank_R.pt    {"state": {NUMBER: {MOMENT: DTensor, "step": TENSOR}}, "param_groups": [{..., "params": [NUMBER]}]}
//
// The optimizer numbers the parameters as the model file lists them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/execute/named_training.h"
#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/plan/rank_parts.h"

namespace ckpt {

// The run that loads them.
struct RanksRun {
    std::uint32_t ranks = 0;
    std::string device;  // such as "npu"
    // Names that share the bytes of others: {"lm_head.weight", "model.embed_tokens.weight"}.
    std::vector<std::pair<std::string, std::string>> aliases;
};

// `parts`: of the targets of the plan. `training`: of the optimizer, whose names are in the order of the run; null: there is none.
Result<OutputPlan> dtensor_output(const std::vector<RankParts>& parts, const RanksRun& run,
                                  const NamedTraining* training);

}  // namespace ckpt
