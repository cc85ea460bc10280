#include "ckpt_convert/app/launch_options.h"

#include <CLI/CLI.hpp>

#include "ckpt_convert/app/help_texts.h"
#include "ckpt_convert/open/option_values.h"

namespace ckpt {

void add_launch(CLI::App& app, Options& options) {
    LaunchOptions& given = options.launch;
    LaunchRequest& request = given.request;
    auto* launch = app.add_subcommand("launch", kLaunchHelp)->fallthrough();
    launch
        ->add_option("MODEL", request.model,
                     "The model: a directory with a config.json, with or without weights, or a Megatron checkpoint")
        ->option_text(" ");
    launch->add_option("OUT", given.out, "Directory to write; must be empty or not exist")->option_text(" ");
    launch->add_option("--devices", request.devices, "Devices of the job, over all machines (default 8)")
        ->option_text("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20));
    launch->add_option("--devices-per-node", request.per_node, "Devices of a machine (default: as --device has, or 8)")
        ->option_text("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
    launch->add_option("--cp", request.cp, "Context parallel size (default 1)")
        ->option_text("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{65536}));
    launch
        ->add_option("--seq-length", request.sequence,
                     "Tokens of a sequence (default 4096, or what the model has positions for)")
        ->option_text("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32));
    launch->add_option("--micro-batch-size", request.micro_batch, "Sequences of a micro batch (default 1)")
        ->option_text("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{65536}));
    launch
        ->add_option("--global-batch-size", request.global_batch,
                     "Sequences of a step (default: enough micro batches for the pipeline)")
        ->option_text("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32));
    launch
        ->add_option(
            "--device", request.machine,
            "The device of the machines, such as a2 or a3: its memory is looked at; without --tp, --pp and the "
            "like the fastest layout that fits is taken")
        ->option_text("NAME");
    launch
        ->add_option("--with", request.choices,
                     "What the training does about memory, as ckpt_convert plan has it: recompute-full, "
                     "recompute-block:2, swap-optimizer ...")
        ->option_text("LIST");
    CheckRequest& check = given.check;
    launch
        ->add_option("--check", check.script,
                     "Compare a script with its model, checkpoint and machine instead: line, what, right value")
        ->option_text("SCRIPT");
    launch->add_option("--model", check.model, "With --check: the directory with the model's config.json")
        ->option_text("DIR");
    launch
        ->add_option(
            "--checkpoint", check.checkpoint,
            "With --check: the Megatron checkpoint (default: the one that the script loads, where it is there)")
        ->option_text("DIR");
    launch->add_flag("--fix", check.fix, "With --check: correct the script, and show what changes");
    launch->add_flag("--json", options.json, "Print the result as JSON");
    launch->footer(kLaunchExamples);
    launch->callback([&options] { options.command = Options::Command::launch; });
}

Status take_launch(Options& options, const RawOptions& raw) {
    TRY(check_layout(options.convert, raw));
    LaunchRequest& request = options.launch.request;
    request.target = options.convert.target;
    request.source = options.convert.source;
    request.source.dequantize = weight_dtype(raw.dequantize);
    request.topology = options.convert.topology;
    take_vocabulary(raw, options.convert.vocab);
    request.vocab = options.convert.vocab;
    request.topology_given = options.convert.topology_given || raw.layout_named;
    CheckRequest& check = options.launch.check;
    check.target = options.convert.target;
    check.machine = request.machine;
    if (!check.script.empty()) return {};
    const bool only_checks = !check.model.empty() || !check.checkpoint.empty() || check.fix;
    if (only_checks) return base::fail(ErrorKind::usage, "--model, --checkpoint and --fix go with --check SCRIPT");
    if (request.model.empty() || options.launch.out.empty())
        return base::fail(ErrorKind::usage, "a model and a directory are needed: ckpt_convert launch MODEL OUT");
    return {};
}

}  // namespace ckpt
