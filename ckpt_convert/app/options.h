// The command line of ckpt_convert: its own short form, and every option of the MindSpeed-LLM converters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "ckpt_convert/plan/topology.h"

namespace ckpt {

enum class Side { unknown, huggingface, megatron };

struct ConvertOptions {
    base::Path load_dir;
    base::Path save_dir;
    Side from = Side::unknown;  // unknown: found from the input
    Side to = Side::unknown;    // unknown: the other side
    Topology topology;          // of the output, when it is Megatron's
    bool topology_given = false;
    std::string family;  // --model-type-hf; empty: found from config.json
    base::Path hf_config_dir;
    std::string params_dtype;  // "bf16", "fp16" or "fp32": what the weights must already be; empty: whatever they are
    std::uint64_t max_shard_bytes = 5'000'000'000;
    std::uint64_t memory_bytes = 64ull << 20;  // for buffers
    int threads = 0;
    bool dry_run = false;
    std::vector<std::string> notes;  // options that were accepted and have no effect
};

struct InspectOptions {
    base::Path path;
};

struct Options {
    enum class Command { convert, inspect, list_models } command = Command::convert;
    ConvertOptions convert;
    InspectOptions inspect;
    base::Path rules_dir;  // empty: the compiled-in rules only
    bool json = false;
    bool quiet = false;
    bool progress = true;
};

// nullopt: help or the version was printed, and nothing is left to do. Fails with usage or unsupported.
base::Result<std::optional<Options>> parse_options(int argc, const char* const* argv);

}  // namespace ckpt
