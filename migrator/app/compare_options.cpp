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
            "The profile to compare with: a trace of torch.profiler (.json, .json.gz), a\nfolder *_ascend_pt, its "
            "trace_view.json, or a database of Ascend's profiler (.db)")
        ->required()
        ->option_text(" ");
    command->add_option("NEW", options.compare.compared, "The profile that is compared, likewise")
        ->required()
        ->option_text(" ");
    command
        ->add_option("--compat", options.compare.compat,
                     "Give the figures that another tool would give, its mistakes included: msprof (msprof-analyze)")
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
        ->add_option(
            "--map", options.compare.map,
            "The operator OLD of BASE is NEW in the new profile: OLD=NEW; may be repeated, or one\nobject of JSON")
        ->allow_extra_args(false)
        ->option_text("OLD=NEW");
    command->add_flag("--by-shape", options.compare.by_shape,
                      "Pair operators only where their inputs have the same shapes");
    command->add_flag("--by-type", options.compare.by_type, "Kernels by type and core, from op_statistic.csv");
    command
        ->add_option(
            "--project", options.compare.project,
            "The code that was profiled: operators that cost more are found in it, with what\nmigrator analyze says of "
            "these lines")
        ->option_text("DIR");
    command
        ->add_option("--fail-over", options.compare.fail_over,
                     "Exit with 1 where a part of the time, or the whole, takes more than this longer than in BASE: 5%")
        ->option_text("PERCENT");
    command->add_flag("--no-modules", options.compare.no_modules,
                      "No sheets of modules, which need the frames of Python");
    command->add_flag("--no-details", options.compare.no_details, "Sums only: operators are not paired");
    command
        ->add_option("--max-kernels", options.compare.max_kernels,
                     "Look inside pairs of operators that start more kernels than this; at least 4")
        ->check(CLI::Range(4, 1'000'000'000))
        ->option_text("N");
    command
        ->add_option(
            "--flow-category", options.compare.flow_category,
            "The category of arrows from the host to kernels in a trace of a GPU (default: all that\nare known)")
        ->option_text("NAME");
    command
        ->add_option("-o,--report", options.report_directory,
                     "Directory for a report: comparison.html, comparison.json, and a CSV file for each sheet")
        ->option_text("DIR");
    command
        ->add_option("--format", options.formats,
                     "Which files to write, with commas between: html,json,csv,xlsx (default: html,json,csv)")
        ->delimiter(',')
        ->check(command_line::OneOf({"html", "json", "csv", "xlsx"}))
        ->option_text("LIST");
    command->get_option("--format")->needs(command->get_option("--report"));
    add_rules_option(*command, options);
    add_json_option(*command, options);
    command->footer(kCompareExamples);
}

}  // namespace migrator
