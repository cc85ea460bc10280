// The file metadata.json of a torch_dist checkpoint: which backend wrote it, and so how it is to be read.
#pragma once

#include <string_view>

#include "base/file_system.h"
#include "base/result.h"

namespace ckpt {

inline constexpr std::string_view kDistBackendFile = "metadata.json";
// The two fields that every version of Megatron accepts.
inline constexpr std::string_view kDistBackendJson =
    R"({"sharded_backend": "torch_dist", "sharded_backend_version": 1})";

// Succeeds when the directory says that it is a torch_dist checkpoint; `unsupported` for other backends and versions.
base::Status check_dist_backend(base::FileSystem& fs, const base::Path& directory);

}  // namespace ckpt
