// The safetensors shards of a Hugging Face checkpoint, laid out, and the files beside them.
#pragma once

#include <string>
#include <vector>

#include "base/file_system.h"
#include "ckpt_convert/execute/output_plan.h"

namespace ckpt {

struct HfOutput {
    OutputPlan files;
    std::string index_json;  // model.safetensors.index.json; empty for a single file
};

inline constexpr const char* kHfIndexFile = "model.safetensors.index.json";

// Shards of at most `max_shard_bytes` of payload each (a larger tensor gets a shard of its own), in the plan's order.
base::Result<HfOutput> hf_output(const ConversionPlan& plan, std::uint64_t max_shard_bytes);

// One file of all tensors.
base::Result<OutputPlan> single_safetensors(const ConversionPlan& plan, std::string path);

// The names of the files beside the weights that make a model directory usable: config, tokenizer, generation config,
// chat template, remote code. Weights, their indexes, directories and hidden files are left out.
base::Result<std::vector<std::string>> companion_files(base::FileSystem& fs, const base::Path& directory);

}  // namespace ckpt
