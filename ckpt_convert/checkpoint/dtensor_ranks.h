// A file of torch.save for each rank, with the rank's parts of the tensors as DTensors.
//
//   model_world_size_W_rank_R.pt      as verl saves FSDP: W files, with an optimizer's beside them
//   pytorch_model_fsdp_0_rankR.bin    as accelerate does without torch.distributed.checkpoint
//
// What is no DTensor, such as a buffer, is the same in all files.
#pragma once

#include <string_view>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

namespace ckpt {

bool is_dtensor_file(std::string_view file);

Result<ShardedCheckpoint> open_dtensor_ranks(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
