// Shards of tensors in safetensors, as HuggingFaceStorageWriter of torch.distributed.checkpoint leaves them.
//
//   shard-RRRRR-model-IIIII-of-NNNNN.safetensors   R: rank + 1, I of N: the file that the tensor is to go to
//   __metadata__   DCP_SHARDING_INFO: JSON {name: {"saved_offsets": [...]}}; without it the tensors are whole
//
// The shapes of whole tensors are not stored: they are as far as the shards reach.
#pragma once

#include <string_view>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

namespace ckpt {

bool is_dcp_safetensors(std::string_view file);

Result<ShardedCheckpoint> open_dcp_safetensors(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
