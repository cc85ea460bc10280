// The files of DTensors that ranks load each its own of, laid out as verl names them.
//
//   model_world_size_W_rank_R.pt    {NAME: DTensor, BUFFER: TENSOR}
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/plan/rank_parts.h"

namespace ckpt {

// `parts`: of the targets of the plan. `device`: of the run, such as "npu".
Result<OutputPlan> dtensor_output(const std::vector<RankParts>& parts, std::uint32_t ranks, const std::string& device);

}  // namespace ckpt
