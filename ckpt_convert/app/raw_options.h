// RawOptions: the words of a command line that asks for a conversion, before they are checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt_convert/app/command_options.h"
#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

// What the parser fills, before it is checked.
struct RawOptions {
    std::string load_type;
    std::string save_type;
    std::string to;
    std::string layer_list;
    std::string noop_layers;
    std::string transformer_impl;
    std::string schedule;
    std::string format;
    std::string kv_sharing;
    std::string max_shard_size;
    RunWords run;
    std::string dequantize;
    std::string optimizer;
    std::uint32_t layers = 0;
    std::uint64_t true_vocab = 0;
    std::uint64_t divisor = 0;
    std::uint64_t padded_vocab = 0;
    bool layout_named = false;  // --tp or --pp, though it may be 1
};

// What was given of the options of other converters.
struct GivenPeers {
    struct Claim {
        std::string option;
        std::string value;
        std::string number;
    };
    std::vector<std::string> notes;
    std::vector<std::string> refused;
    std::vector<Setting> settings;
    std::vector<Claim> claims;
};

// What the options of other converters say of the input. Fails with usage.
Result<std::vector<Claim>> claims_of(const std::vector<GivenPeers::Claim>& given);

// Rows of the vocabulary.
void take_vocabulary(const RawOptions& raw, VocabOptions& out);

// The layout to write alone. Fails with usage or unsupported.
Status check_layout(ConvertOptions& options, const RawOptions& raw);

// Fills what takes more than one word, or a check, to know. Fails with usage or unsupported.
Status check_conversion(ConvertOptions& options, const RawOptions& raw);

}  // namespace ckpt
