// launch_set: the scripts that go with a model, its checkpoint and its layout: templates/launch, filled in.
//
// A line of a template that ends in " #? EXPRESSION" is there where the expression over the job's numbers is not 0; {{name}} is a
// number or a text of the job.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/job/choices.h"
#include "ckpt_convert/launch/launch_facts.h"
#include "ckpt_convert/launch/launch_request.h"
#include "ckpt_convert/open/source.h"
#include "ckpt_convert/plan/arguments.h"
#include "ckpt_convert/target/convert_options.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

struct LaunchSet {
    std::string title;   // "qwen3, 36 layers"
    std::string target;  // "MindSpeed-LLM (mcore)"
    std::string layout;  // "TP 2 x PP 4"
    std::vector<SideFile> files;
    std::vector<std::string> notes;
    std::optional<ConvertOptions> conversion;  // what its first script asks for; nullopt: it converts nothing
};

// The numbers of a job: the model's values, the layout's, and what follows from them.
struct LaunchJob {
    Source source;
    ConvertOptions conversion;  // how the checkpoint is made, or was
    std::optional<ParallelLayout> parallel;
    std::vector<TrainingFlag> flags;        // that the target's programs know
    std::vector<std::string> not_known;     // those that they do not, each with the reason
    std::vector<Chosen> chosen;             // of --with
    std::vector<std::string> choice_lines;  // the options that they add
    ModelValues numbers;
};

// Fails with usage where the layout does not fit the model or the devices, and with what open_source() fails with.
Result<LaunchJob> launch_job(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                             const LaunchFacts& facts, const Choices& choices, const LaunchTarget& target,
                             const LaunchRequest& request);

Result<LaunchSet> launch_set(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                             const LaunchRequest& request);

}  // namespace ckpt
