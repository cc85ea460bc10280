#include "migrator/app/compare_options.h"

#include <CLI/CLI.hpp>

#include "command_line/one_of.h"
#include "migrator/app/common_options.h"
#include "migrator/app/help_texts.h"

namespace migrator {

void add_compare(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("compare", kCompareAbout);
    command
        ->add_option("BASE", options.compare.base,
                     "The profile to compare with: a trace of torch.profiler (.json, .json.gz), a\nfolder *_ascend_pt, or "
                     "its trace_view.json")
        ->required()
        ->option_text(" ");
    command->add_option("NEW", options.compare.compared, "The profile that is compared, likewise")->required()->option_text(" ");
    command
        ->add_option("--compat", options.compare.compat,
                     "Give the figures of another tool, with its mistakes: msprof (msprof-analyze)")
        ->check(command_line::OneOf({"msprof"}))
        ->option_text("TOOL");
    add_rules_option(*command, options);
    add_json_option(*command, options);
    command->footer(kCompareExamples);
}

}  // namespace migrator
