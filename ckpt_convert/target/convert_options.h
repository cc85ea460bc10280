// What the user asks of a conversion: the source, the layout of the output, and how the run works.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/open/source_options.h"
#include "ckpt_convert/plan/topology.h"

namespace ckpt {

// How many rows the embedding and the head of a Megatron checkpoint get.
struct VocabOptions {
    std::string rule;                      // a name of rules/targets/vocab_padding.json; empty: the peer's when needed
    std::optional<std::uint64_t> divisor;  // instead of the rule's own
    std::optional<std::uint64_t> rows;     // this many, whatever the rule
    std::string fill;                      // instead of the rule's own; empty: as the rule says
};

// What an option of another converter says of the input: a value of the model, or a fact of its layout.
struct Claim {
    std::string option;
    std::string value;
    std::int64_t number = 0;
};

// Options that describe the layout to write, or repeat that of a Megatron input.
struct RepeatedOptions {
    std::optional<std::uint32_t> mtp_layers;
    bool grouped_experts = false;
};

// What the files of an output with the names of Hugging Face are.
enum class NamedFormat {
    safetensors,
    dcp,        // of torch.distributed.checkpoint
    dtensor,    // of DTensors, one for each rank
    universal,  // of DeepSpeed
    zero,       // of DeepSpeed's engine, one for each rank
    megatron_fsdp,
    mindspore,  // safetensors with its map of names
    vllm,       // safetensors of each TP rank
};
constexpr bool is_for_ranks(NamedFormat format) {
    return format == NamedFormat::dtensor || format == NamedFormat::zero;
}
// Which nobody loads without the state of an optimizer.
constexpr bool needs_optimizer(NamedFormat format) {
    return format == NamedFormat::universal || format == NamedFormat::zero;
}
// Whether LoRA adapters are written in it without their model.
constexpr bool has_adapters(NamedFormat format) {
    return format == NamedFormat::safetensors || format == NamedFormat::dcp || format == NamedFormat::dtensor;
}
constexpr bool has_optimizer(NamedFormat format) {
    return format != NamedFormat::safetensors && format != NamedFormat::mindspore && format != NamedFormat::vllm;
}

struct ConvertOptions {
    SourceOptions source;
    Path save_dir;
    Side to = Side::unknown;  // unknown: the other side
    std::string target;       // a name of rules/targets/, with "@VERSION" of megatron-core; empty: the default one
    std::string layers;       // "local" or "te"; empty: what the target's users run
    bool torch_dist = false;  // instead of rank files
    NamedFormat format = NamedFormat::safetensors;
    std::uint32_t world = 0;                  // ranks that each load a file of their own; 0: not told
    std::string device = "npu";               // of these ranks
    std::uint32_t zero_stage = 0;             // of DeepSpeed's engine
    std::uint64_t sub_group = 1'000'000'000;  // its sub_group_size, as it is when nobody sets it
    std::optional<std::string> weights_key;   // of such a checkpoint, "" for none; nullopt: what its names ask for
    std::string names;                        // a word of rules/names/; empty: Hugging Face's
    std::string experts_as;                   // a form of the mapping's tensors; empty: the first
    bool grouped_experts = false;             // the experts of a rank in one module
    bool mla_split = false;                   // the up projections of latent attention in parts
    Topology topology;                        // of the output, when it is Megatron's
    bool topology_given = false;
    VocabOptions vocab;
    RepeatedOptions repeated;
    std::vector<Claim> claims;
    std::string params_dtype;     // "bf16", "fp16", "fp32"; empty: what the source has
    std::string iteration;        // a number or "release"; empty: what the target's users expect
    bool adapter_alone = false;   // the LoRA adapter is converted and not merged
    bool keep_optimizer = false;  // the state of the optimizer goes with the weights
    std::string optimizer_step;   // "max": the largest for all parameters; empty: they must have gone the same
    std::uint64_t max_shard_bytes = 5'000'000'000;
    std::uint64_t memory_bytes = 64ull << 20;  // for buffers
    int threads = 0;
    // Which part of the work this run does: "3/16", or "auto" for what the launcher's variables say; empty: all.
    std::string shard;
    bool resume = false;  // finished files of an interrupted run are used again, and left when this one is
    bool dry_run = false;
    bool show_plan = false;                   // with dry_run: every tensor of the output
    Path plan_html;                           // the page that shows the plan; empty: none
    std::vector<std::string> notes;           // options that were accepted and have no effect
    std::vector<std::string> megatron_notes;  // what they mean for a Megatron output
};

}  // namespace ckpt
