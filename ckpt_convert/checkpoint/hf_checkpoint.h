// HfCheckpoint: a Hugging Face model directory: config.json and the tensors of its weight files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/json.h"
#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

struct HfCheckpoint {
    base::Path directory;
    base::JsonDocument config;
    TensorIndex index;
};

// True when the directory has weight files under the names that Hugging Face uses.
bool is_hf_checkpoint(base::FileSystem& fs, const base::Path& directory);

// Reads config.json, the index and the headers of all shards; every shard that the index or the "00001-of-0000N" names
// promise must be there, no tensor may appear twice, and the index must agree with the shards. Errors are bad_input and
// say what to fetch again.
base::Result<HfCheckpoint> open_hf_checkpoint(base::FileSystem& fs, const base::Path& directory);

// The weight files alone, for directories without a config.
base::Result<TensorIndex> open_hf_weights(base::FileSystem& fs, const base::Path& directory);

// What a download leaves while it is not finished, by its ending.
bool is_unfinished_download(std::string_view file);

// config.json of `directory`.
base::Result<base::JsonDocument> read_hf_config(base::FileSystem& fs, const base::Path& directory);

}  // namespace ckpt
