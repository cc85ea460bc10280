#include "ckpt_convert/app/command_options.h"

#include <CLI/CLI.hpp>

#include "ckpt_convert/app/help_texts.h"
#include "ckpt_convert/app/launch_options.h"
#include "ckpt_convert/app/training_plan_options.h"
#include "command_line/one_of.h"

namespace ckpt {
namespace {

void add_json(CLI::App& app, Options& options) { app.add_flag("--json", options.json, "Print the result as JSON"); }

void add_rules(CLI::App& app, Options& options) {
    app.add_option("--rules", options.rules_dir,
                   "Directory whose files add to the built-in rules or replace them (models/NAME.json)")
        ->option_text("DIR");
}

void add_inspect(CLI::App& app, Options& options) {
    auto* inspect = app.add_subcommand("inspect", "List what is in a checkpoint or a weight file")->fallthrough();
    inspect
        ->add_option("PATH", options.inspected.path,
                     "A checkpoint directory, one of its rank directories, or a .safetensors, .bin or .pt file")
        ->required()
        ->option_text(" ");
    auto* summary =
        inspect->add_flag("--summary", options.inspected.summary, "Only what the checkpoint is, no tensors");
    auto* layers = inspect->add_flag("--layers", options.inspected.layers, "One line per layer instead of per tensor");
    summary->excludes(layers);
    inspect->add_option("--filter", options.inspected.filter, "Only tensors whose names match, for example '*.mlp.*'")
        ->option_text("PATTERN");
    add_json(*inspect, options);
    add_rules(*inspect, options);
    inspect->footer(kInspectExamples);
    inspect->callback([&options] { options.command = Options::Command::inspect; });
}

void add_commit(CLI::App& app, Options& options) {
    auto* commit = app.add_subcommand("commit", "Publish what workers (--shard) have written, if the last could not")
                       ->fallthrough();
    commit->add_option("PATH", options.committed, "Their --save-dir")->required()->option_text(" ");
    commit->add_flag("-q,--quiet", options.quiet, "Print errors only");
    commit->footer("Examples:\n  ckpt_convert commit qwen3-mcore");
    commit->callback([&options] { options.command = Options::Command::commit; });
}

void add_verify(CLI::App& app, Options& options, RunWords& words) {
    auto* verify = app.add_subcommand("verify", kVerifyHelp)->fallthrough();
    verify->add_option("PATH", options.verify.checkpoint.directory, "The checkpoint to verify")
        ->required()
        ->option_text(" ");
    verify
        ->add_option("OTHER,--against", options.verify.against,
                     "Another checkpoint that must hold the same weights, in whatever layout")
        ->option_text("PATH");
    verify->add_option("-j,--threads", options.convert.threads, "Threads (default: one per core)")->option_text("N");
    add_run_options(*verify, options, words);
    verify->footer(kVerifyExamples);
    verify->callback([&options] { options.command = Options::Command::verify; });
}

void add_models(CLI::App& app, Options& options) {
    auto* models =
        app.add_subcommand("models", "List and show the model families that can be converted")->fallthrough();
    models->require_subcommand(0, 1);
    models->footer(kModelsExamples);
    add_json(*models, options);
    add_rules(*models, options);
    auto* list = models->add_subcommand("list", "List them (the default)")->fallthrough();
    add_json(*list, options);
    list->footer("Examples:\n  ckpt_convert models list\n  ckpt_convert models list --json");
    auto* show = models->add_subcommand("show", "Show how one family is stored on both sides")->fallthrough();
    show->add_option("FAMILY", options.model, "Its name, as models list prints it")->required()->option_text(" ");
    show->footer("Examples:\n  ckpt_convert models show qwen3");
    auto* check = models->add_subcommand("check", "Check a mapping file of your own")->fallthrough();
    check->add_option("FILE", options.model, "The mapping file")->required()->option_text(" ");
    check->footer("Examples:\n  ckpt_convert models check my_rules/models/house.json");
    auto* schema =
        models->add_subcommand("schema", "Print the JSON Schema of a mapping file, by which an editor completes it")
            ->fallthrough();
    schema->add_option("OF", options.model, "model (default), or case: of a case next to a mapping file")
        ->check(command_line::OneOf({"model", "case"}))
        ->option_text(" ");
    schema->footer("Examples:\n  ckpt_convert models schema > model.schema.json");
    // Called before the callback of `models`, which must not undo it.
    models->callback([&options, show, check, schema] {
        options.command = show->parsed()     ? Options::Command::show_model
                          : check->parsed()  ? Options::Command::check_model
                          : schema->parsed() ? Options::Command::model_schema
                                             : Options::Command::list_models;
    });
}

}  // namespace

void add_run_options(CLI::App& app, Options& options, RunWords& words) {
    app.add_option("--memory", words.memory, "Memory for buffers (default 64MB)")->option_text("SIZE");
    add_rules(app, options);
    app.add_flag("--json", options.json, "Print events as JSON, one per line; of other commands, the result");
    app.add_flag("-q,--quiet", options.quiet, "Print errors only");
    app.add_flag("--no-progress", words.no_progress, "No progress bar");
}

void add_commands(CLI::App& app, Options& options, RunWords& words) {
    for (const char* name : kConversions) {
        auto* command =
            app.add_subcommand(name, "Convert a checkpoint (the default): ckpt_convert convert INPUT OUTPUT");
        command->fallthrough();
        if (name == kConversions.front()) continue;
        command->description(kPlanHelp);
        command->footer(kPlanExamples);
        if (name == kPlan) add_training_plan(*command, options);
        command->callback([&options] {
            options.convert.dry_run = true;
            if (options.planned_devices > 0) options.command = Options::Command::plan_training;
        });
    }
    app.get_subcommand(kConversions.back())->group("");  // an older name
    add_commit(app, options);
    add_inspect(app, options);
    add_launch(app, options);
    add_verify(app, options, words);
    add_models(app, options);
}

}  // namespace ckpt
