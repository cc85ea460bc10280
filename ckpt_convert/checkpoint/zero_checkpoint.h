// The files that an engine of DeepSpeed leaves: the optimizer's flat float32 copies of the weights, a share for each rank.
//
//   mp_rank_00_model_states.pt                       module {name: tensor}, param_shapes [{name: size}], shared_params
//   zero_pp_rank_D_mp_rank_00_model_states.pt        the same with ZeRO 3, for each rank; the module's tensors are empty
//   [bf16_]zero_pp_rank_D_mp_rank_00_optim_states.pt optimizer_state_dict, for each rank:
//       ZeRO 1, 2   single_partition_of_fp32_groups  of each group: all parameters in a row, cut in equal parts, the last
//                                                    ones without what fills them up
//       ZeRO 3      fp32_flat_groups                 of each group: the rank's part of each parameter, in a row
//   zero/NAME/fp32.pt                                instead of these in a universal checkpoint: {param: tensor}, or the tensor
//                                                    of ZeRO 3 without its shape
//
// The order of the parameters is that of param_shapes; what other tables say of it is wrong in some releases. A checkpoint
// without the optimizer's files has its weights in the module alone.
#pragma once

#include <string_view>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

namespace ckpt {

bool is_zero_file(std::string_view file);

// Fails with unsupported for checkpoints of tensor or expert parallel engines.
Result<ShardedCheckpoint> open_zero_checkpoint(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
