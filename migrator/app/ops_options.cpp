#include "migrator/app/ops_options.h"

#include <CLI/CLI.hpp>

#include "command_line/one_of.h"
#include "migrator/app/common_options.h"
#include "migrator/app/help_texts.h"
#include "migrator/operators/operator_verdict.h"

namespace migrator {
namespace {

std::vector<std::string> verdict_names() {
    std::vector<std::string> out;
    for (const OperatorVerdict verdict : base::kAll<OperatorVerdict>) out.emplace_back(name(verdict));
    return out;
}

}  // namespace

void add_ops(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("ops", kOpsAbout);
    command
        ->add_option(
            "INPUT", options.ops.input,
            "Trace of torch's profiler (.json, .json.gz), graph of torch.export (.pt2), log, or\nlist with one "
            "name a line, its dtype and a count after it; - for standard input")
        ->option_text(" ");
    add_chip_option(*command, options);
    command
        ->add_option(
            "--torch-version", options.ops.torch_version,
            "Judge for this version of torch: an operator whose kernel was added later, or removed,\nis unknown")
        ->option_text("VERSION");
    command
        ->add_option("--fail-on", options.ops.fail_on,
                     "Exit with 1 when an operator has this verdict or a worse one: npu_aclop, unknown,\ncpu_fallback, "
                     "dtype_refused or refused (default: never)")
        ->check(command_line::OneOf({"npu_aclop", "unknown", "cpu_fallback", "dtype_refused", "refused", "never"}))
        ->option_text("VERDICT");
    command->add_flag(
        "--recorder", options.ops.recorder,
        "Instead of an INPUT: print a Python module that records the operators of a\ntraining step on a CPU or GPU");
    command
        ->add_option("--report", options.report_directory,
                     "Directory for a report: ops.html with all chips side by side, ops.json")
        ->option_text("DIR");
    command
        ->add_option("--format", options.formats,
                     "Which files to write, with commas between: html,json,sarif (default: html,json)")
        ->delimiter(',')
        ->check(command_line::OneOf({"html", "json", "sarif"}))
        ->option_text("LIST");
    command->get_option("--format")->needs(command->get_option("--report"));
    add_rules_option(*command, options);
    add_json_option(*command, options);
    command->add_flag("-v,--verbose", options.verbose, "Also a line for each operator that runs in a compiled kernel");
    command->footer(kOpsExamples);
}

void add_operator_list(CLI::App& rules, Options& options) {
    OperatorListOptions& list = options.operator_list;
    CLI::App* command = rules.add_subcommand(
        "operators",
        "List the known operators, with the verdict of each on a chip; or compare two chips or versions of torch");
    command->add_option("WORD", list.words, "Only operators that have one of these words in their names")
        ->option_text(" ");
    add_chip_option(*command, options);
    command->add_option("--torch-version", list.torch_version, "Verdicts with this version of torch")
        ->option_text("VERSION");
    command->add_option("--verdict", list.verdict, "Only operators with this verdict, such as cpu_fallback")
        ->check(command_line::OneOf(verdict_names()))
        ->option_text("VERDICT");
    command->add_option("--compare", list.other_chip, "Only operators that differ on this chip, with both verdicts")
        ->option_text("CHIP");
    command
        ->add_option("--compare-version", list.other_torch_version,
                     "Only operators that differ with this version of torch, with both verdicts")
        ->option_text("VERSION");
    add_rules_option(*command, options);
    add_json_option(*command, options);
    command->footer(kOperatorListExamples);
}

}  // namespace migrator
