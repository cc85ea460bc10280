// The command line of ckpt_convert: its own short forms, and every option of the MindSpeed-LLM converters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "ckpt_convert/mapping/model_mapping.h"
#include "ckpt_convert/plan/topology.h"
#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

enum class Side { unknown, huggingface, megatron };

// What the user says about a checkpoint that it may not say itself.
struct SourceOptions {
    base::Path directory;
    Side side = Side::unknown;                // unknown: found from the files
    std::string family;                       // empty: found from the config, or from the names of the tensors
    base::Path hf_config_dir;                 // of a Megatron checkpoint; empty: beside it
    std::optional<std::uint32_t> layers;      // only the first layers are wanted
    std::optional<std::uint64_t> true_vocab;  // only the first rows of the vocabulary are wanted
    // Layers for multi-token prediction that are wanted of a Hugging Face checkpoint; nullopt: those that are there.
    std::optional<std::uint32_t> mtp_layers;
    base::Path adapter;                   // a LoRA adapter that is not in the checkpoint itself
    std::optional<double> adapter_alpha;  // nullopt: as the checkpoint or the adapter says
    std::optional<std::uint64_t> adapter_rank;
    std::vector<std::string> leave_out;  // patterns of tensors of a Hugging Face checkpoint that are not wanted
    bool language_part = false;          // of a multimodal model: its language model alone
    std::optional<DType> dequantize;     // what quantised weights become; nullopt: they are refused
    std::vector<Setting> settings;       // values of the model that the config does not say, where its family has them
    std::uint32_t noop_layers = 0;       // of the layout to write, which `layers` may count too
    // The padding of the vocabulary is rows like others: what training made of them counts.
    bool keep_padding = false;
};

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

struct ConvertOptions {
    SourceOptions source;
    base::Path save_dir;
    Side to = Side::unknown;           // unknown: the other side
    std::string target = "mindspeed";  // a name of rules/targets/, with "@VERSION" of megatron-core when that matters
    std::string layers;                // "local" or "te"; empty: what the target's users run
    bool torch_dist = false;           // instead of rank files
    bool grouped_experts = false;      // the experts of a rank in one module
    bool mla_split = false;            // the up projections of latent attention in parts
    Topology topology;                 // of the output, when it is Megatron's
    bool topology_given = false;
    VocabOptions vocab;
    RepeatedOptions repeated;
    std::vector<Claim> claims;
    std::string params_dtype;     // "bf16", "fp16", "fp32"; empty: what the source has
    std::string iteration;        // a number or "release"; empty: what the target's users expect
    bool adapter_alone = false;   // the LoRA adapter is converted and not merged
    bool keep_optimizer = false;  // the state of the optimizer goes with the weights
    std::uint64_t max_shard_bytes = 5'000'000'000;
    std::uint64_t memory_bytes = 64ull << 20;  // for buffers
    int threads = 0;
    // Which part of the work this run does: "3/16", or "auto" for what the launcher's variables say; empty: all.
    std::string shard;
    bool resume = false;  // finished files of an interrupted run are used again, and left when this one is
    bool dry_run = false;
    bool show_plan = false;          // with dry_run: every tensor of the output
    std::vector<std::string> notes;  // options that were accepted and have no effect
};

struct VerifyOptions {
    SourceOptions checkpoint;
    base::Path against;  // empty: the checkpoint by itself
    int threads = 0;
    std::uint64_t memory_bytes = 64ull << 20;
};

struct Options {
    enum class Command {
        convert,
        commit,
        inspect,
        verify,
        list_models,
        show_model,
        check_model
    } command = Command::convert;
    ConvertOptions convert;
    VerifyOptions verify;
    base::Path inspected;
    base::Path committed;
    std::string model;     // of show_model: a family; of check_model: a mapping file
    base::Path rules_dir;  // empty: the compiled-in rules only
    bool json = false;
    bool quiet = false;
    bool progress = true;
};

// nullopt: help or the version was printed, and nothing is left to do. Fails with usage or unsupported.
base::Result<std::optional<Options>> parse_options(int argc, const char* const* argv);

}  // namespace ckpt
