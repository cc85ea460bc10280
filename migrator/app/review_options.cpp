#include "migrator/app/review_options.h"

#include <CLI/CLI.hpp>

namespace migrator {
namespace {

void add_destination(CLI::App& command, Options& options) {
    command.add_option("-o,--output", options.output, "Directory for a copy of the project with the edits")
        ->option_text("OUT");
    command.add_flag("--in-place", options.review.in_place, "Instead of -o: change the project's own files");
    command.add_flag("--force", options.force, "With -o: replace the directory OUT when the new copy is whole");
    command
        .add_option("--project", options.review.project,
                    "Where the sources are (default: where they were when the report was made)")
        ->option_text("DIR");
}

void add_apply(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand(
        "apply", "Apply the safe fixes of a report, with the accepted ones and without the rejected ones");
    command->add_option("REPORT", options.review.report, "The report.json, or its directory")
        ->required()
        ->option_text(" ");
    command->add_option("--decisions", options.review.decisions, "The decisions.json of the report's page")
        ->option_text("FILE");
    command->add_flag("--only-accepted", options.review.only_accepted,
                      "Apply what was accepted, and no fix that nobody has decided on");
    add_destination(*command, options);
    command
        ->add_option("--record", options.review.record,
                     "The directory that keeps what `undo` and `reapply` need (default: applied,\nnext to the report)")
        ->option_text("DIR");
    command->footer(
        "A source that has changed since the report was made is refused, and nothing is written.\n\nExamples:\n"
        "  migrator analyze my_project --report review        then open review/report.html and decide\n"
        "  migrator apply review/report.json --decisions decisions.json -o my_project_npu\n"
        "  migrator apply review/report.json --decisions decisions.json --in-place\n"
        "  migrator apply review/report.json -o my_project_npu            all safe fixes");
}

void add_undo_and_reapply(CLI::App& app, Options& options) {
    constexpr const char* kRecordHelp = "The directory that `apply` or `migrate` has named, or the project";
    CLI::App* undo =
        app.add_subcommand("undo", "Put back the sources that `migrate` or `apply` has changed with --in-place.");
    undo->add_option("RECORD", options.review.record, kRecordHelp)->required()->option_text(" ");
    undo->add_option("--project", options.review.project, "Where the sources are (default: where they were)")
        ->option_text("DIR");
    undo->footer(
        "A source that was changed since is refused, and nothing is restored.\n\nExamples:\n"
        "  migrator undo review/applied\n"
        "  migrator undo my_project");
    CLI::App* reapply = app.add_subcommand(
        "reapply", "Merge applied edits into a newer version of the sources, and list what no longer fits.");
    reapply->add_option("RECORD", options.review.record, kRecordHelp)->required()->option_text(" ");
    add_destination(*reapply, options);
    reapply->footer(
        "Examples:\n"
        "  migrator reapply review/applied --in-place                     after the sources were replaced by newer "
        "ones\n"
        "  migrator reapply review/applied --project upstream -o merged   newer sources in another directory");
}

void add_serve(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand(
        "serve",
        "Open a report in a browser of this machine; save the decisions next to it, and apply them on request");
    command->add_option("REPORT", options.review.report, "The report.json, or its directory")
        ->required()
        ->option_text(" ");
    command->add_option("--port", options.review.port, "The port on 127.0.0.1 (default: one that is free)")
        ->option_text("PORT");
    command
        ->add_option("--project", options.review.project,
                     "Where the sources are (default: where they were when the report was made)")
        ->option_text("DIR");
    command->footer(
        "Only requests from this machine with the printed token are accepted. Nothing but decisions.json is written,\n"
        "and, after a confirmation in the page, what `apply` would write. Ctrl-C ends it.\n\nExamples:\n"
        "  migrator serve review");
}

void add_report(CLI::App& app, Options& options) {
    CLI::App* report = app.add_subcommand("report", "Compare reports.");
    report->require_subcommand(1);
    report->footer(
        "Examples:\n  migrator report diff monday tuesday\n  migrator report diff old/report.json new/report.json "
        "--json");
    CLI::App* diff =
        report->add_subcommand("diff", "List the findings that are new in a report, and those that are gone.");
    diff->add_option("OLD", options.review.report, "The older report.json, or its directory")
        ->required()
        ->option_text(" ");
    diff->add_option("NEW", options.review.other, "The newer report.json, or its directory")
        ->required()
        ->option_text(" ");
    diff->add_flag("--json", options.json, "Print the result as JSON");
    diff->footer("Examples:\n  migrator report diff monday tuesday");
}

}  // namespace

void add_review_commands(CLI::App& app, Options& options) {
    add_apply(app, options);
    add_serve(app, options);
    add_undo_and_reapply(app, options);
    add_report(app, options);
}

std::optional<Command> review_command_of(const CLI::App& app) {
    const std::string name = app.get_subcommands().front()->get_name();
    if (name == "apply") return Command::apply;
    if (name == "undo") return Command::undo;
    if (name == "reapply") return Command::reapply;
    if (name == "serve") return Command::serve;
    if (name == "report") return Command::report_diff;
    return std::nullopt;
}

base::Status check_review(const Options& options) {
    const bool writes = options.command == Command::apply || options.command == Command::reapply;
    if (writes && options.output.empty() == !options.review.in_place)
        return base::fail(base::ErrorKind::usage, "say where the result goes: --output OUT or --in-place, one of them");
    if (options.force && options.output.empty())
        return base::fail(base::ErrorKind::usage, "--force replaces an OUT that exists; name it: -o");
    if (options.review.only_accepted && options.review.decisions.empty())
        return base::fail(base::ErrorKind::usage, "--only-accepted requires the decisions: --decisions FILE");
    return {};
}

}  // namespace migrator
