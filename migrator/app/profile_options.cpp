#include "migrator/app/profile_options.h"

#include <CLI/CLI.hpp>

#include "migrator/app/common_options.h"
#include "migrator/app/help_texts.h"

namespace migrator {

void add_profile(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("profile", kProfileAbout);
    command
        ->add_option("PATH", options.profile.path,
                     "A trace of torch.profiler, a folder *_ascend_pt, or a folder with those of several\nranks")
        ->required()
        ->option_text(" ");
    command->add_option("--step", options.profile.step, "Only this step, by the number of its ProfilerStep#")
        ->option_text("N");
    add_rules_option(*command, options);
    add_json_option(*command, options);
    command->footer(kProfileExamples);
}

}  // namespace migrator
