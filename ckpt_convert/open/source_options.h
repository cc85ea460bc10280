// What the user says about a checkpoint that it may not say itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/mapping/model_mapping.h"
#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

enum class Side { unknown, huggingface, megatron };

struct SourceOptions {
    Path directory;
    Side side = Side::unknown;                // unknown: found from the files
    std::string family;                       // empty: found from the config, or from the names of the tensors
    Path hf_config_dir;                       // of a Megatron checkpoint; empty: beside it
    std::optional<std::uint32_t> layers;      // only the first layers are wanted
    std::optional<std::uint64_t> true_vocab;  // only the first rows of the vocabulary are wanted
    // Layers for multi-token prediction that are wanted of a Hugging Face checkpoint; nullopt: those that are there.
    std::optional<std::uint32_t> mtp_layers;
    Path adapter;                         // a LoRA adapter that is not in the checkpoint itself
    std::optional<double> adapter_alpha;  // nullopt: as the checkpoint or the adapter says
    std::optional<std::uint64_t> adapter_rank;
    std::vector<std::string> leave_out;  // patterns of tensors of a Hugging Face checkpoint that are not wanted
    bool language_part = false;          // of a multimodal model: its language model alone
    std::optional<DType> dequantize;     // what quantised weights become; nullopt: they are refused
    std::vector<Setting> settings;       // values of the model that the config does not say, where its family has them
    std::uint32_t noop_layers = 0;       // of the layout to write, which `layers` may count too
    // The padding of the vocabulary is rows like others: what training made of them counts.
    bool keep_padding = false;
    bool plain_names = false;  // where no family is known, tensors are taken as they are called
};

}  // namespace ckpt
