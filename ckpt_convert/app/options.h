// The command line of ckpt_convert: its own short forms, and every option of the MindSpeed-LLM converters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

struct VerifyOptions {
    SourceOptions checkpoint;
    Path against;  // empty: the checkpoint by itself
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
        check_model,
        model_schema
    } command = Command::convert;
    ConvertOptions convert;
    VerifyOptions verify;
    Path inspected;
    Path committed;
    std::string model;  // of show_model: a family; of check_model: a mapping file; of model_schema: what of
    Path rules_dir;     // empty: the compiled-in rules only
    bool json = false;
    bool quiet = false;
    bool progress = true;
};

// nullopt: help or the version was printed, and nothing is left to do. Fails with usage or unsupported.
Result<std::optional<Options>> parse_options(int argc, const char* const* argv);

}  // namespace ckpt
