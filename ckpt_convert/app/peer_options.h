// Options that exist for scripts written for MindSpeed-LLM's converters and need no answer from the user any more.
#pragma once

namespace ckpt {

// How many values an option takes.
enum class Values { none, one, many };

// Accepted and noted.
struct RetiredOption {
    const char* name;
    Values values;
    const char* reason;
};
inline constexpr RetiredOption kRetiredOptions[] = {
    {"--model-type", Values::one, "only GPT models exist"},
    {"--tokenizer-model", Values::one, "the vocabulary size is read from config.json"},
    {"--vocab-file", Values::one, "the vocabulary size is read from config.json"},
    {"--use-mcore-models", Values::none, "the output always has mcore names"},
    {"--add-qkv-bias", Values::none, "known from the model family"},
    {"--add-dense-bias", Values::none, "known from the model family"},
    {"--add-output-layer-bias", Values::none, "known from the model family"},
    {"--w-pack", Values::one, "known from the model family"},
    {"--post-norm", Values::none, "known from the model family"},
    {"--embed-layernorm", Values::none, "known from the model family"},
    {"--spec", Values::many, "known from the model family"},
    {"--hidden-size", Values::one, "the sizes are read from config.json"},
    {"--mamba-state-dim", Values::one, "the sizes are read from config.json"},
    {"--mamba-num-groups", Values::one, "the sizes are read from config.json"},
    {"--mamba-head-dim", Values::one, "the sizes are read from config.json"},
    {"--load-hf-from-config", Values::none, "the sizes are read from config.json"},
    {"--loader", Values::one, "found from the input"},
    {"--saver", Values::one, "found from the input"},
    {"--input-tp-rank", Values::one, "found from the input"},
    {"--input-pp-rank", Values::one, "found from the input"},
    {"--first-k-dense-replace", Values::one, "which layers have experts is read from config.json"},
    {"--lora-target-modules", Values::many, "the adapter's tensors say which weights it changes"},
    {"--ckpt-cfg-path", Values::one, "replaced by the mapping files of this tool"},
    {"--megatron-path", Values::one, "Megatron is not needed to convert"},
    {"--max-queue-size", Values::one, "there are no loader and saver processes"},
    {"--load-checkpoint-loosely", Values::none, "every tensor is checked"},
    {"--no-checking", Values::none, "every tensor is checked"},
    {"--save-layer-by-layer", Values::none, "memory is bounded anyway"},
    {"--hf-dir", Values::one, "the directory of the original model is --hf-cfg-dir"},
};

// Understood, but only this value is supported; nullptr: none is.
struct FixedOption {
    const char* name;
    Values values;
    const char* only_value;
    const char* meaning;
};
inline constexpr FixedOption kFixedOptions[] = {
    {"--qlora-nf4", Values::none, nullptr, "NF4 quantisation"},
    {"--save-to-legacy", Values::none, nullptr, "the legacy (non-mcore) format"},
    {"--load-from-legacy", Values::none, nullptr, "the legacy (non-mcore) format"},
};

}  // namespace ckpt
