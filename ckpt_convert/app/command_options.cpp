#include "ckpt_convert/app/command_options.h"

#include <CLI/CLI.hpp>

#include "ckpt_convert/app/help_texts.h"

namespace ckpt {
namespace {

void add_inspect(CLI::App& app, Options& options) {
    auto* inspect = app.add_subcommand("inspect", "List what is in a checkpoint or a weight file")->fallthrough();
    inspect->add_option("path", options.inspected, "A checkpoint directory, or a .safetensors, .bin or .pt file")
        ->required();
    inspect->callback([&options] { options.command = Options::Command::inspect; });
}

void add_commit(CLI::App& app, Options& options) {
    auto* commit = app.add_subcommand("commit", "Publish what workers (--shard) have written, if the last could not")
                       ->fallthrough();
    commit->add_option("path", options.committed, "Their --save-dir")->required();
    commit->callback([&options] { options.command = Options::Command::commit; });
}

void add_verify(CLI::App& app, Options& options) {
    auto* verify = app.add_subcommand("verify", kVerifyHelp)->fallthrough();
    verify->add_option("path", options.verify.checkpoint.directory, "The checkpoint to verify")->required();
    verify->add_option("--against", options.verify.against,
                       "Another checkpoint that must hold the same weights, in whatever layout");
    verify->callback([&options] { options.command = Options::Command::verify; });
}

void add_models(CLI::App& app, Options& options) {
    auto* models = app.add_subcommand("models", "The model families that can be converted")->fallthrough();
    models->require_subcommand(0, 1);
    models->add_subcommand("list", "List them (the default)")->fallthrough();
    auto* show = models->add_subcommand("show", "How one family is stored on both sides")->fallthrough();
    show->add_option("family", options.model, "Its name, as models list prints it")->required();
    auto* check = models->add_subcommand("check", "Check a mapping file of your own")->fallthrough();
    check->add_option("file", options.model, "The mapping file")->required();
    auto* schema =
        models->add_subcommand("schema", "The JSON Schema of a mapping file, by which an editor completes it")
            ->fallthrough();
    schema->add_option("of", options.model, "model (the default), or case: of a case beside a mapping file")
        ->check(CLI::IsMember({"model", "case"}));
    // Called before the callback of `models`, which must not undo it.
    models->callback([&options, show, check, schema] {
        options.command = show->parsed()     ? Options::Command::show_model
                          : check->parsed()  ? Options::Command::check_model
                          : schema->parsed() ? Options::Command::model_schema
                                             : Options::Command::list_models;
    });
}

}  // namespace

void add_commands(CLI::App& app, Options& options) {
    add_commit(app, options);
    add_inspect(app, options);
    add_verify(app, options);
    add_models(app, options);
}

}  // namespace ckpt
