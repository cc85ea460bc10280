// The full state of FSDP in one file: all tensors of the model, and beside it those of its optimizer by the names of weights.
//
//   pytorch_model_fsdp.bin   torch.save of {NAME: tensor}
//   optimizer.bin            torch.save of {state: {NAME: {step, exp_avg, exp_avg_sq}}, param_groups: [{lr, ..., params: [NAME]}]}
#pragma once

#include <string_view>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

namespace ckpt {

bool is_full_state(std::string_view file);

// Fails with bad_input when a file is no such dict.
Result<ShardedCheckpoint> open_full_state(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
