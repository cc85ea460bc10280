#include "migrator/app/options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/version.h"

namespace migrator {
namespace {

constexpr const char* kAbout =
    "Moves PyTorch GPU training projects to Ascend NPU: finds every name, string, package and CUDA source that "
    "matters\n"
    "there, rewrites what can be rewritten safely, and reports the rest.";

constexpr const char* kExamples =
    "Examples:\n"
    "  migrator analyze my_project                        what is there to do? Changes nothing\n"
    "  migrator analyze my_project --report report        the same, as a page to work through (report/report.html)\n"
    "  migrator migrate my_project -o my_project_npu      a migrated copy; the report is in my_project_npu_report\n"
    "  migrator migrate my_project --diff                 what would change, as a diff\n"
    "  migrator explain method.cuda                       what a rule of the report means\n"
    "  migrator migrate --help                            all options of a command\n"
    "\n"
    "Exit codes: 0 done, 1 findings at or above --fail-on, 2 wrong usage, 3 rules do not load, 4 input missing or\n"
    "unreadable, 5 unsupported, 6 output could not be written, 70 internal error.";

constexpr const char* kAnalyzeAbout = "Finds what has to change, and changes nothing.";
constexpr const char* kAnalyzeExamples =
    "Examples:\n"
    "  migrator analyze my_project\n"
    "  migrator analyze train.py models/ --exclude 'models/legacy/'\n"
    "  migrator analyze my_project --report report --format html\n"
    "  migrator analyze . --fail-on error -q              for CI: exit code 1 when an error is found\n"
    "  migrator analyze . --json | jq .summary            for scripts";

constexpr const char* kMigrateAbout =
    "Writes a migrated copy of the project, and a report. The project itself is changed with --in-place only.";
constexpr const char* kMigrateExamples =
    "Examples:\n"
    "  migrator migrate my_project -o my_project_npu\n"
    "  migrator migrate my_project -o out --report out_report --format html,diff\n"
    "  migrator migrate my_project -o out --apply none    a plain copy, and the report of what could be applied\n"
    "  migrator migrate train.py --diff                   only shows what would change\n"
    "  migrator migrate . --check -q                      for CI: exit code 1 when something would change\n"
    "  cd my_project && git apply ../my_project_npu_report/report.diff   the same edits in the project itself";

// What CLI11 fills in as text, before it becomes an Options.
struct RawOptions {
    std::vector<std::string> formats;
    std::string apply = "safe";
    std::string fail_on = "never";
    bool no_progress = false;
    bool in_place = false;
    bool diff = false;
    bool check = false;
};

void add_common_options(CLI::App& command, Options& options, RawOptions& raw) {
    command
        .add_option("--report", options.report_directory,
                    "Directory for the report: report.html, report.json, report.diff")
        ->option_text("DIR");
    command
        .add_option("--format", raw.formats,
                    "Which of them to write, with commas between: html, json, diff\n(default: all)")
        ->delimiter(',')
        ->check(CLI::IsMember({"json", "html", "diff"}))
        ->option_text("LIST");
    command
        .add_option("--include", options.include, "Analyse only files that match, as in .gitignore; may be repeated")
        ->allow_extra_args(false)
        ->option_text("PATTERN");
    command.add_option("--exclude", options.exclude, "Do not analyse files that match; may be repeated")
        ->allow_extra_args(false)
        ->option_text("PATTERN");
    command
        .add_option("-j,--jobs", options.threads,
                    "Threads, 1 to 1024 (default: one per core); the output does not depend\non it")
        ->check(CLI::Range(1, 1024))
        ->option_text("N");
    command.add_option("--rules", options.rules, "Directory whose rule files add to the built-in ones or replace them")
        ->option_text("DIR");
    command
        .add_option("--fail-on", raw.fail_on,
                    "Exit with 1 when a finding of this severity or above is left open:\nerror, warning, info or never "
                    "(default)")
        ->check(CLI::IsMember({"error", "warning", "info", "never"}))
        ->option_text("SEVERITY");
    command.add_flag("--json", options.json, "Print report.json on standard output, the summary on standard error");
    command.add_flag("-q,--quiet", options.quiet, "No summary and no progress bar");
    command.add_flag("-v,--verbose", options.verbose, "Also one line per file, and all that the summary shortens");
    command.add_flag("--no-progress", raw.no_progress, "No progress bar (without a terminal there is none anyway)");
}

CLI::App* add_analyze(CLI::App& app, Options& options, RawOptions& raw) {
    CLI::App* command = app.add_subcommand("analyze", kAnalyzeAbout);
    command->add_option("PATH", options.paths, "Project directories or single files")->required()->option_text("...");
    add_common_options(*command, options, raw);
    command->footer(kAnalyzeExamples);
    return command;
}

CLI::App* add_migrate(CLI::App& app, Options& options, RawOptions& raw) {
    CLI::App* command = app.add_subcommand("migrate", kMigrateAbout);
    command->add_option("PATH", options.paths, "Project directory or single file")
        ->required()
        ->expected(1)
        ->option_text(" ");
    command->add_option("-o,--output", options.output, "Directory for the migrated copy; must not exist or be empty")
        ->option_text("OUT");
    command->add_flag("--in-place", raw.in_place, "Instead of -o: change the project's own files");
    command->add_flag("--diff", raw.diff, "Instead of -o: print what would change as a diff, and write nothing");
    command->add_flag("--check", raw.check, "Instead of -o: write nothing, exit with 1 when something would change");
    command
        ->add_option("--apply", raw.apply, "Which fixes to apply: safe (default: all that are certain enough) or none")
        ->check(CLI::IsMember({"safe", "none"}))
        ->option_text("WHICH");
    add_common_options(*command, options, raw);
    command->get_option("--report")
        ->description("Directory for the report: report.html, report.json, report.diff\n(default: OUT_report)");
    command->footer(kMigrateExamples);
    return command;
}

CLI::App* add_explain(CLI::App& app, Options& options) {
    CLI::App* command =
        app.add_subcommand("explain", "Says what a rule looks for, what it means and where it comes from.");
    command->add_option("RULE", options.rule, "The rule's id, as the report names it")->required()->option_text(" ");
    command->add_option("--rules", options.rules, "Directory whose rule files add to the built-in ones or replace them")
        ->option_text("DIR");
    return command;
}

CLI::App* add_rules(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("rules", "Lists all rules: id, severity, kind.");
    command->add_option("--rules", options.rules, "Directory whose rule files add to the built-in ones or replace them")
        ->option_text("DIR");
    return command;
}

// Where the migrated files go: exactly one of the options says so.
base::Result<Destination> destination_of(const Options& options, const RawOptions& raw) {
    const int named = static_cast<int>(!options.output.empty()) + static_cast<int>(raw.in_place) +
                      static_cast<int>(raw.diff) + static_cast<int>(raw.check);
    if (named == 0)
        return base::fail(
            base::ErrorKind::usage,
            "say where the result goes: --output OUT, --in-place, --diff or --check; see migrator migrate "
            "--help");
    if (named > 1)
        return base::fail(base::ErrorKind::usage, "--output, --in-place, --diff and --check exclude each other");
    if (raw.diff && options.json) return base::fail(base::ErrorKind::usage, "--diff and --json exclude each other");
    if (raw.in_place) return Destination::in_place;
    if (raw.diff) return Destination::diff;
    return raw.check ? Destination::check : Destination::copy;
}

base::Path without_trailing_slashes(base::Path path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

base::Result<Options> finish(Options options, const RawOptions& raw) {
    bool analyse = options.command == Command::analyze;
    for (const base::Path& path : options.paths) {
        if (path.empty()) return base::fail(base::ErrorKind::usage, "PATH is empty; name a directory or a file");
    }
    if (options.quiet && options.verbose)
        return base::fail(base::ErrorKind::usage, "--quiet and --verbose exclude each other");
    if (!analyse) {
        TRY_ASSIGN(options.destination, destination_of(options, raw));
    }
    options.output = without_trailing_slashes(options.output);
    options.report_directory = without_trailing_slashes(options.report_directory);
    const bool copies = !analyse && options.destination == Destination::copy;
    if (copies && options.report_directory.empty()) options.report_directory = options.output + "_report";
    if (options.report_directory.empty() && !raw.formats.empty()) {
        return base::fail(base::ErrorKind::usage, "--format says what to write, but --report DIR does not say where");
    }
    if (!raw.formats.empty()) {
        options.formats = {contains(raw.formats, "json"), contains(raw.formats, "html"), contains(raw.formats, "diff")};
    }
    options.apply = raw.apply == "none" ? ApplyMode::none : ApplyMode::safe;
    options.progress = !raw.no_progress && !options.quiet;
    for (Severity severity : {Severity::error, Severity::warning, Severity::info}) {
        if (raw.fail_on == name(severity)) options.fail_on = severity;
    }
    return options;
}

}  // namespace

base::Result<CommandLine> parse_command_line(int argc, const char* const* argv) {
    Options options;
    RawOptions raw;
    CLI::App app(kAbout, "migrator");
    app.set_version_flag("--version", base::format("migrator {}", base::kVersion));
    app.require_subcommand(1);
    app.footer(kExamples);
    app.get_formatter()->column_width(26);
    CLI::App* analyze = add_analyze(app, options, raw);
    CLI::App* migrate = add_migrate(app, options, raw);
    CLI::App* explain = add_explain(app, options);
    CLI::App* rules = add_rules(app, options);
    if (argc < 2)
        return base::fail(base::ErrorKind::usage, "name a command, such as analyze or migrate; see migrator --help");
    std::string_view first = argv[1];
    const auto commands = app.get_subcommands([](CLI::App*) { return true; });
    const bool known =
        std::any_of(commands.begin(), commands.end(), [&](CLI::App* c) { return c->get_name() == first; });
    if (!first.starts_with("-") && !known) {
        return base::fail(
            base::ErrorKind::usage,
            base::format("there is no command '{}', only analyze, migrate, explain and rules; see migrator "
                         "--help",
                         first));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForVersion& version) {
        return CommandLine{std::nullopt, base::format("{}\n", version.what())};
    } catch (const CLI::CallForHelp&) {
        return CommandLine{std::nullopt, app.help()};
    } catch (const CLI::ParseError& error) {
        std::string command;
        for (const CLI::App* parsed : {analyze, migrate, explain, rules}) {
            if (parsed->parsed()) command = " " + parsed->get_name();
        }
        return base::fail(base::ErrorKind::usage, base::format("{}; see migrator{} --help", error.what(), command));
    }
    if (explain->parsed() || rules->parsed()) {
        options.command = explain->parsed() ? Command::explain : Command::rules;
        return CommandLine{std::move(options), {}};
    }
    options.command = migrate->parsed() ? Command::migrate : Command::analyze;
    TRY_ASSIGN(Options finished, finish(std::move(options), raw));
    return CommandLine{std::move(finished), {}};
}

}  // namespace migrator
