// The command line of ckpt_convert: its own short forms, and every option of the MindSpeed-LLM converters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "ckpt_convert/app/training_plan.h"
#include "ckpt_convert/launch/launch_request.h"
#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

struct VerifyOptions {
    SourceOptions checkpoint;
    Path against;  // empty: the checkpoint by itself
    int threads = 0;
    std::uint64_t memory_bytes = 64ull << 20;
};

struct InspectOptions {
    Path path;
    std::string filter;    // of names of tensors, with *; empty: all
    bool summary = false;  // no tensors
    bool layers = false;   // one line for each layer
};

// Scripts for a model, or the check of one that is there.
struct LaunchOptions {
    LaunchRequest request;
    Path out;
    CheckRequest check;  // of a script; without one scripts are written
};

struct Options {
    enum class Command {
        convert,
        commit,
        inspect,
        launch,
        verify,
        list_models,
        show_model,
        check_model,
        model_schema,
        plan_training
    } command = Command::convert;
    ConvertOptions convert;
    VerifyOptions verify;
    InspectOptions inspected;
    LaunchOptions launch;
    TrainingPlanOptions training;
    int planned_devices = 0;  // of plan_training; 0: a conversion is planned
    Path committed;
    std::string model;        // of show_model: a family; of check_model: a mapping file; of model_schema: what of
    base::Language language;  // of what people read
    Path rules_dir;           // empty: the compiled-in rules only
    bool json = false;
    bool quiet = false;
    bool progress = true;
};

struct ParsedLine {
    std::optional<Options> options;  // nullopt: only `text` was asked for
    std::string text;                // help, version ...
};

// `fs`: to tell a mistyped command from a checkpoint. Fails with usage or unsupported.
Result<ParsedLine> parse_options(int argc, const char* const* argv, base::FileSystem& fs,
                                 const base::Language& language = {});

}  // namespace ckpt
