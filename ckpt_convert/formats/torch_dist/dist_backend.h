// What every torch_dist checkpoint has: the file metadata.json, which says how it is to be read, and the common state.
#pragma once

#include <string_view>

#include "ckpt_convert/base_names.h"

namespace ckpt {

inline constexpr std::string_view kDistBackendFile = "metadata.json";
// The two fields that every version of Megatron accepts.
inline constexpr std::string_view kDistBackendJson =
    R"({"sharded_backend": "torch_dist", "sharded_backend_version": 1})";

// The arguments of the training and what else all ranks share; newer checkpoints have an entry instead.
inline constexpr std::string_view kDistCommonFile = "common.pt";

// The entry that holds the training's arguments where there is no file common.pt.
inline constexpr std::string_view kDistCommonItem = "common_state/shard_0_1";

// Succeeds when the directory says that it is a torch_dist checkpoint; `unsupported` for other backends and versions.
Status check_dist_backend(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
