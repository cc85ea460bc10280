#include "migrator/app/compare_options.h"

#include <CLI/CLI.hpp>

#include "command_line/one_of.h"
#include "migrator/app/common_options.h"
#include "migrator/app/help_texts.h"
#include "migrator/compare/comparison.h"

namespace migrator {

void add_compare(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("compare", kCompareAbout);
    command
        ->add_option(
            "BASE", options.compare.base,
            "The profile to compare with: a trace of torch.profiler (.json, .json.gz), a\nfolder *_ascend_pt, or "
            "its trace_view.json")
        ->required()
        ->option_text(" ");
    command->add_option("NEW", options.compare.compared, "The profile that is compared, likewise")
        ->required()
        ->option_text(" ");
    command
        ->add_option("--compat", options.compare.compat,
                     "Give the figures of another tool, with its mistakes: msprof (msprof-analyze)")
        ->check(command_line::OneOf({"msprof"}))
        ->option_text("TOOL");
    command
        ->add_option("--only", options.compare.only,
                     "Only these parts, with commas between: overall, communication, operators, memory, "
                     "calls, kernels")
        ->delimiter(',')
        ->check(command_line::OneOf({kComparePartNames.begin(), kComparePartNames.end()}))
        ->option_text("LIST");
    command
        ->add_option("--base-step", options.compare.base_step,
                     "Only this step of BASE, by the number of its ProfilerStep#")
        ->option_text("N");
    command->add_option("--new-step", options.compare.step, "Only this step of NEW")->option_text("N");
    command
        ->add_option("--map", options.compare.map,
                     "An operator of BASE is called otherwise in NEW: OLD=NEW; may be repeated, or one object\nof JSON")
        ->allow_extra_args(false)
        ->option_text("OLD=NEW");
    command->add_flag("--by-shape", options.compare.by_shape,
                      "Operators are the same only with inputs of the same shapes");
    command->add_flag("--by-type", options.compare.by_type, "Kernels by type and core, from op_statistic.csv");
    command->add_flag("--no-details", options.compare.no_details, "Sums only: operators are not paired");
    command
        ->add_option("--max-kernels", options.compare.max_kernels,
                     "Pairs of operators with more kernels are taken apart; at least 4")
        ->check(CLI::Range(4, 1'000'000'000))
        ->option_text("N");
    command
        ->add_option(
            "--flow-category", options.compare.flow_category,
            "The category of arrows from the host to kernels in a trace of a GPU (default: all that\nare known)")
        ->option_text("NAME");
    command
        ->add_option("-o,--output", options.compare.output,
                     "Directory for the sheets as CSV files, one each, and comparison.json")
        ->option_text("DIR");
    add_rules_option(*command, options);
    add_json_option(*command, options);
    command->footer(kCompareExamples);
}

}  // namespace migrator
