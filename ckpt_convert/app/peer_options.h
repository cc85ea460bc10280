// Options that exist for scripts written for MindSpeed-LLM's converters and need no answer from the user any more.
#pragma once

namespace ckpt {

// Accepted and noted.
struct RetiredOption {
    const char* name;
    bool takes_value;
    const char* reason;
};
inline constexpr RetiredOption kRetiredOptions[] = {
    {"--model-type", true, "only GPT models exist"},
    {"--tokenizer-model", true, "the vocabulary size is read from config.json"},
    {"--use-mcore-models", false, "the output always has mcore names"},
    {"--add-qkv-bias", false, "known from the model family"},
    {"--add-dense-bias", false, "known from the model family"},
    {"--add-output-layer-bias", false, "known from the model family"},
    {"--w-pack", true, "known from the model family"},
    {"--post-norm", false, "known from the model family"},
    {"--embed-layernorm", false, "known from the model family"},
    {"--spec", true, "known from the model family"},
    {"--loader", true, "found from the input"},
    {"--saver", true, "found from the input"},
    {"--ckpt-cfg-path", true, "replaced by the mapping files of this tool"},
    {"--megatron-path", true, "Megatron is not needed to convert"},
    {"--max-queue-size", true, "there are no loader and saver processes"},
    {"--load-checkpoint-loosely", false, "every tensor is checked"},
    {"--save-layer-by-layer", false, "memory is bounded anyway"},
    {"--no-checking", false, "every tensor is checked"},
    {"--vocab-file", true, "the vocabulary size is read from config.json"},
    {"--hf-dir", true, "the directory of the original model is --hf-cfg-dir"},
    {"--load-hf-from-config", false, "the sizes are always read from config.json"},
};

// Understood, but only this value is supported.
struct FixedOption {
    const char* name;
    const char* only_value;  // nullptr: a flag, which is not supported at all
    const char* meaning;
};
inline constexpr FixedOption kFixedOptions[] = {
    {"--target-expert-parallel-size", "1", "expert parallelism"},
    {"--expert-tensor-parallel-size", "1", "expert tensor parallelism"},
    {"--mtp-num-layers", "0", "multi-token prediction layers"},
    {"--first-k-dense-replace", nullptr, "changing the dense layers"},
    {"--moe-grouped-gemm", "", "a layout of experts"},
    {"--moe-tp-extend-ep", "", "a layout of experts"},
    {"--mla-mm-split", "", "multi-latent attention"},
    {"--lora-load", nullptr, "LoRA weights"},
    {"--save-lora-to-hf", "", "LoRA weights"},
    {"--qlora-nf4", "", "NF4 quantisation"},
    {"--save-to-legacy", "", "the legacy (non-mcore) format"},
    {"--load-from-legacy", "", "the legacy (non-mcore) format"},
};

}  // namespace ckpt
