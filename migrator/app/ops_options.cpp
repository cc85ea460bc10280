#include "migrator/app/ops_options.h"

#include <CLI/CLI.hpp>

#include "command_line/one_of.h"
#include "migrator/app/common_options.h"
#include "migrator/app/help_texts.h"

namespace migrator {

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
        ->add_option("--torch-version", options.ops.torch_version,
                     "With this version of torch, operators whose kernel came later or left are not\nknown")
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
    add_rules_option(*command, options);
    add_json_option(*command, options);
    command->add_flag("-v,--verbose", options.verbose, "Also a line for each operator that runs in a compiled kernel");
    command->footer(kOpsExamples);
}

}  // namespace migrator
