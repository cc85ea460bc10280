// The safetensors shards of a Hugging Face checkpoint, laid out, and the files beside them.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/execute/output_plan.h"

namespace ckpt {

struct HfOutput {
    OutputPlan files;
    std::string index_json;  // model.safetensors.index.json; empty for a single file
};

inline constexpr const char* kHfIndexFile = "model.safetensors.index.json";

// Shards of at most `max_shard_bytes` of payload each (a larger tensor gets a shard of its own), in the plan's order.
Result<HfOutput> hf_output(const ConversionPlan& plan, std::uint64_t max_shard_bytes);

// Which file each tensor is in, as MindSpore asks for it: {NAME: file}.
std::string name_map_text(const ConversionPlan& plan, const OutputPlan& output);

// One file of all tensors.
Result<OutputPlan> single_safetensors(const ConversionPlan& plan, std::string path);

// The files beside the weights that make a model directory usable: config, tokenizer, generation config, chat template,
// remote code.
struct Companions {
    std::vector<std::string> files;
    std::vector<std::string> notes;  // what was left out, and why
};

// Weights, their indexes, directories, hidden files, what downloads and conversions leave, and links that lead out of the
// checkpoint are left out. In the cache of Hugging Face the checkpoint is the whole folder models--X.
Result<Companions> companion_files(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
