// A universal checkpoint of DeepSpeed: files for each parameter, whatever ranks there were.
//
//   zero/optimizer_state.pt                      settings of the groups; of ZeRO 3 the step too
//   zero/PARAMETER/{fp32,exp_avg,exp_avg_sq}.pt  {"param": TENSOR}; of ZeRO 3 its elements in a row
//                  step.pt                       a tensor without axes
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/zero_files.h"
#include "ckpt_convert/checkpoint/zero_tables.h"

namespace ckpt {

struct UniversalContent {
    std::vector<TorchDistTensor> weights;
    std::vector<TorchDistTensor> moments;
    std::map<double, std::string> steps;  // see ShardedCheckpoint
    ShardedGroups groups;
};

// `shapes`: of the parameters, by group; `of_slices`: these are those of a rank, and the files say those of the whole. Fails with
// bad_input when a file is missing or has another shape.
Result<UniversalContent> read_universal(ZeroFiles& files, const std::vector<NamedShapes>& shapes, bool of_slices);

}  // namespace ckpt
