// HfCheckpoint: a Hugging Face model directory: config.json and the tensors of its weight files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

struct HfCheckpoint {
    Path directory;
    JsonDocument config;
    TensorIndex index;
    std::string names = {};  // a word of rules/names/ where its tensors have other names; empty: those of Hugging Face
};

// True when the directory has weight files under the names that Hugging Face uses.
bool is_hf_checkpoint(base::FileSystem& fs, const Path& directory);

// Reads config.json, the index and the headers of all shards; every shard that the index or the "00001-of-0000N" names
// promise must be there, no tensor may appear twice, and the index must agree with the shards. Errors are bad_input and
// say what to fetch again.
Result<HfCheckpoint> open_hf_checkpoint(base::FileSystem& fs, const Path& directory);

// The weight files alone, for directories without a config.
Result<TensorIndex> open_hf_weights(base::FileSystem& fs, const Path& directory);

// What a download leaves while it is not finished, by its ending.
bool is_unfinished_download(std::string_view file);

// config.json of `directory`.
Result<JsonDocument> read_hf_config(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
