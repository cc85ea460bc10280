// A checkpoint of MindSpore whose ranks' parts were put together (unified safetensors).
//
//   param_name_map.json       {NAME: file}, or the same below "weight_map"
//   *.safetensors             the tensors; the moments of NAME are adam_m.NAME and adam_v.NAME
//   hyper_param.safetensors   counts of the run: global_step, epoch_num
#pragma once

#include <string_view>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

namespace ckpt {

inline constexpr const char* kNameMapFile = "param_name_map.json";

bool is_name_map(std::string_view file);

// Also where the files have the names that Hugging Face uses, but not its index.
bool is_mindspore_checkpoint(base::FileSystem& fs, const Path& directory);

// Fails with bad_input when a file is missing, or has other tensors than the map says.
Result<ShardedCheckpoint> open_mindspore(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
