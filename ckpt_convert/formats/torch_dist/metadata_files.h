// The files of a directory that say where the tensors of torch.distributed.checkpoint lie.
#pragma once

#include <string_view>

#include "ckpt_convert/formats/torch_dist/dist_metadata.h"

namespace ckpt {

inline constexpr const char* kDistMetadataFile = ".metadata";

// "__3.metadata": what rank 3 says of itself, when the ranks did not talk to each other.
bool is_rank_metadata(std::string_view file);

// What .metadata says; without it, what the ranks say each of itself, put together. bad_input when there is neither.
Result<DistMetadata> read_dist_metadata(base::FileSystem& fs, const Path& directory, const TorchDistOptions& options);

}  // namespace ckpt
