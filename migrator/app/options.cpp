#include "migrator/app/options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/nearest_word.h"
#include "base/text.h"
#include "command_line/command_line.h"
#include "command_line/one_of.h"
#include "migrator/app/common_options.h"
#include "migrator/app/compare_options.h"
#include "migrator/app/help_texts.h"
#include "migrator/app/ops_options.h"
#include "migrator/app/peer_options.h"
#include "migrator/app/printed_schemas.h"
#include "migrator/app/profile_options.h"
#include "migrator/app/raw_options.h"
#include "migrator/app/review_options.h"
#include "migrator/app/settings.h"
#include "migrator/app/settings_options.h"
#include "migrator/app/vendor_options.h"
#include "migrator/report/formats.h"

namespace migrator {
namespace {

using base::ErrorKind;

std::vector<std::string> format_names() {
    std::vector<std::string> out;
    for (const Format& format : all_formats()) out.emplace_back(format.name);
    out.emplace_back(kGithubFormat);
    return out;
}

// What a run of one time needs is no setting: configurable(false).
void add_report_options(CLI::App& command, Options& options, RawOptions& raw) {
    command
        .add_option("--report", options.report_directory,
                    "Directory for the report: report.html, report.json, report.diff")
        ->option_text("DIR");
    command
        .add_option("--format", raw.formats,
                    base::format("Which files to write, with commas between: {}\n(default: html,json,diff); github "
                                 "prints workflow commands",
                                 base::joined(format_names(), ",")))
        ->delimiter(',')
        ->check(command_line::OneOf(format_names()))
        ->option_text("LIST");
    command
        .add_option("--fail-on", raw.fail_on,
                    "Exit with 1 when a finding of this severity or above is left open:\nerror, warning, info or never "
                    "(default)")
        ->check(command_line::OneOf({"error", "warning", "info", "never"}))
        ->option_text("SEVERITY");
    command
        .add_option(
            "--baseline", options.baseline,
            "An older report.json: --fail-on only counts findings that it does not have, and the page shows the trend")
        ->option_text("FILE");
    command
        .add_option("--source-url", options.origin.source_url,
                    "The address of a line in the repository, for links of the page:\n"
                    "https://HOST/PROJECT/blob/{commit}/{path}#L{line}")
        ->option_text("URL");
    command.add_flag("--json", options.json, "Print report.json on standard output, the summary on standard error")
        ->configurable(false);
    command.add_flag("-q,--quiet", options.quiet, "No summary and no progress bar");
    command.add_flag("-v,--verbose", options.verbose, "Also print one line per file, and what the summary leaves out");
    command.add_flag("--no-progress", raw.no_progress, "No progress bar (without a terminal there is none anyway)");
}

void add_common_options(CLI::App& command, Options& options, RawOptions& raw) {
    command
        .add_option("--include", options.include,
                    "Analyse only files that match, as in .gitignore; may be repeated.\nMatching vendored and "
                    "generated files are analysed too")
        ->allow_extra_args(false)
        ->option_text("PATTERN");
    command.add_option("--exclude", options.exclude, "Do not analyse files that match; may be repeated")
        ->allow_extra_args(false)
        ->option_text("PATTERN");
    command
        .add_option("--stdin-name", options.stdin_name,
                    "With PATH -: the name of the file, which tells its kind (default: stdin.py)")
        ->configurable(false)
        ->option_text("NAME");
    command
        .add_option(
            "--torch-version", raw.torch_version,
            "Which torch the project will run with (default: what its requirements ask\nfor, else the newest one "
            "known); the report says which and why")
        ->option_text("VERSION");
    add_chip_option(command, options);
    command
        .add_option("-j,--jobs", options.threads,
                    "Threads, 1 to 1024 (default: one per core); the output does not depend\non it")
        ->check(CLI::Range(1, 1024))
        ->option_text("N");
    add_rules_option(command, options);
    command
        .add_option("--with-library", options.with_libraries,
                    "Result of `analyze --library`: calls into that library are judged by it;\nmay be repeated")
        ->allow_extra_args(false)
        ->option_text("RESULT");
    command
        .add_option(
            "--style", raw.style,
            "Style of the result: npu (default: NPU names), portable (one code for NPU,\nCUDA and CPU, "
            "with a helper module) or auto (CUDA code that torch_npu's\ntransfer_to_npu redirects when it runs)")
        ->check(command_line::OneOf({"npu", "portable", "auto"}))
        ->option_text("STYLE");
    command
        .add_option("--program", options.programs,
                    "Report on this program: a path, or a command that the package installs; may be\nrepeated "
                    "(default: those that people start, the first of them first)")
        ->allow_extra_args(false)
        ->option_text("NAME");
    command
        .add_option(
            "--scope", raw.scope,
            "What the verdict and --fail-on are about: programs (default: what they load) or\nall files, whoever "
            "loads them")
        ->check(command_line::OneOf({"programs", "all"}))
        ->option_text("SCOPE");
    command.add_flag("--edit-native", options.edit_native,
                     "Also migrate programs that take an NPU by themselves, as if they did not");
    command
        .add_option(
            "--megatron", options.megatron,
            "Route of projects that build on Megatron: mindspeed (default) or adaptor (unmodified\nMegatron core "
            "0.17 and later, with MegatronAdaptor and TransformerEngineNPU)")
        ->check(command_line::OneOf({"mindspeed", "adaptor"}))
        ->option_text("ROAD");
    command
        .add_option("--skeleton", options.skeleton,
                    "Write a Python package to this new directory, with a file for each operator of\nthe project's C++ "
                    "and CUDA sources: a fallback in PyTorch where it is known, or a stub")
        ->configurable(false)
        ->option_text("DIR");
    command
        .add_option("--config", raw.config,
                    "Settings: [tool.migrator] of this file (default: of the nearest pyproject.toml\nat or above PATH)")
        ->configurable(false)
        ->option_text("FILE");
    command.add_flag("--no-config", raw.no_config, "Read no settings")->configurable(false);
    add_report_options(command, options, raw);
}

CLI::App* add_analyze(CLI::App& app, Options& options, RawOptions& raw) {
    CLI::App* command = app.add_subcommand("analyze", kAnalyzeAbout);
    command->add_option("PATH", options.paths, "Project directories or single files; - for standard input")
        ->required()
        ->configurable(false)
        ->option_text("...");
    command
        ->add_flag("--library", options.library,
                   "Analyse PATH as a library: instead of a report, write the chains of calls that\nreach what is not "
                   "supported "
                   "on the NPU, as JSON")
        ->configurable(false);
    command->add_option("-o,--output", options.library_result, "With --library: the file to write (default: print it)")
        ->configurable(false)
        ->option_text("RESULT");
    add_common_options(*command, options, raw);
    command->footer(kAnalyzeExamples);
    return command;
}

CLI::App* add_migrate(CLI::App& app, Options& options, RawOptions& raw) {
    CLI::App* command = app.add_subcommand("migrate", kMigrateAbout);
    command
        ->add_option("PATH", options.paths,
                     "Project directory or single files; - for standard input. A copy is of\none PATH")
        ->required()
        ->configurable(false)
        ->option_text("...");
    command->add_option("-o,--output", options.output, "Directory for the migrated copy; must not exist or be empty")
        ->configurable(false)
        ->option_text("OUT");
    command->add_flag("--force", options.force, "With -o: replace the directory OUT when the new copy is whole")
        ->configurable(false);
    command
        ->add_option("--large-files", raw.large_files,
                     "What to do with files of 1 GiB and more that are not analysed: link to the original\n(default), "
                     "copy or skip")
        ->check(command_line::OneOf({"link", "copy", "skip"}))
        ->option_text("HOW");
    command->add_flag("--in-place", raw.in_place, "Instead of -o: change the project's own files")->configurable(false);
    command->add_flag("--diff", raw.diff, "Instead of -o: print what would change as a diff, and write nothing")
        ->configurable(false);
    command->add_flag("--check", raw.check, "Instead of -o: write nothing, exit with 1 when something would change")
        ->configurable(false);
    command
        ->add_option(
            "--record", options.review.record,
            "Directory that keeps what `undo` and `reapply` need (default: applied, next to the\nreport; without "
            "one .migrator in the project)")
        ->configurable(false)
        ->option_text("DIR");
    command->add_flag("--no-record", raw.no_record, "Keep no such record");
    command
        ->add_option("--apply", raw.apply,
                     "Which fixes to apply: safe (default: all that are certain enough), review (all:\nlook at each "
                     "of them) or none")
        ->check(command_line::OneOf({"safe", "review", "none"}))
        ->option_text("WHICH");
    command->add_flag(
        "--affinity", options.affinity,
        "Also replace code by the operators and optimizers that are fastest on Ascend, where\nthat computes "
        "the same (with --apply review also where a person must look)");
    command
        ->add_option(
            "--distributed", options.distributed_main,
            "Also make this script run on several devices, started by torchrun: DDP, divided\ndata, output of one "
            "process. Where that cannot be done right, say why")
        ->configurable(false)
        ->option_text("MAIN");
    command
        ->add_option("--model", options.model, "With --distributed: the variable that holds the model (default: model)")
        ->configurable(false)
        ->option_text("NAME");
    command
        ->add_flag(
            "--start-script", options.start_script,
            "Also write run_npu.sh next to each program that trains or that a script starts: the\nenvironment of "
            "CANN, variables for the job, the processes as they are now")
        ->configurable(false);
    command
        ->add_option("--instrument", options.instrument,
                     "Also put lines around the training loop: profiler (the Ascend PyTorch Profiler) or\nprecision "
                     "(msprobe); none removes them again. Where that cannot be done right,\nsay why")
        ->configurable(false)
        ->option_text("WHAT");
    command
        ->add_option("--loop", options.loop,
                     "With --instrument: which training loop, where there are several: FILE or FILE:LINE")
        ->configurable(false)
        ->option_text("PLACE");
    add_common_options(*command, options, raw);
    command->get_option("--report")
        ->description("Directory for the report: report.html, report.json, report.diff\n(default: OUT_report)");
    command->footer(kMigrateExamples);
    return command;
}

void add_explain(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("explain", kExplainAbout);
    command
        ->add_option("WORD", options.explained,
                     "A rule's id, as the report names it; or a name, package, variable, command or C++ symbol")
        ->required()
        ->option_text(" ");
    add_rules_option(*command, options);
    add_json_option(*command, options);
    command->footer(kExplainExamples);
}

void add_schema(CLI::App& app, Options& options) {
    std::vector<std::string> files;
    for (const PrintedSchema& schema : kPrintedSchemas) files.emplace_back(schema.file);
    CLI::App* command = app.add_subcommand("schema", kSchemaAbout);
    command->footer(kSchemaExamples);
    command->add_option("FILE", options.explained, "Which file: rules, report or decisions")
        ->required()
        ->check(command_line::OneOf(files))
        ->option_text(" ");
}

void add_rules(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("rules", kRulesAbout);
    command->require_subcommand(0, 1);
    command->footer(kRulesExamples);
    CLI::App* list = command->add_subcommand("list", "List all rules: id, severity, kind");
    list->footer(kRulesListExamples);
    for (CLI::App* lister : {command, list}) {
        add_rules_option(*lister, options);
        add_json_option(*lister, options);
    }
    auto add_for_directory = [&](const char* name, const char* about) {
        CLI::App* added = command->add_subcommand(name, about);
        added->add_option("DIR", options.rules, "Directory with rule files, laid out as rules/ or flat")
            ->required()
            ->option_text(" ");
        add_json_option(*added, options);
        added->footer(base::format("Examples:\n  migrator rules {} my_rules", name));
    };
    add_for_directory("check", "Check the rule files of a directory; name what is wrong, with line and key");
    add_for_directory("test",
                      "Run the cases of a directory's rules: findings, output, and that a second run changes nothing");
    add_operator_list(*command, options);
    CLI::App* fresh = command->add_subcommand("new", "Write a rule file to start from, and its case");
    fresh->footer("Examples:\n  migrator rules new my_rules/house.json");
    fresh->add_option("FILE", options.paths, "The rule file: my_rules/house.json")
        ->required()
        ->expected(1)
        ->option_text(" ");
}

// Which of the commands it is, down to the last word.
Command command_of(const CLI::App& app) {
    const CLI::App* command = app.get_subcommands().front();
    if (command->get_name() == "analyze") return Command::analyze;
    if (command->get_name() == "migrate") return Command::migrate;
    if (command->get_name() == "explain") return Command::explain;
    if (command->get_name() == "ops") return Command::ops;
    if (command->get_name() == "compare") return Command::compare;
    if (command->get_name() == "profile") return Command::profile;
    if (command->get_name() == "schema") return Command::schema;
    const std::string word =
        command->get_subcommands().empty() ? "list" : command->get_subcommands().front()->get_name();
    if (word == "check") return Command::rules_check;
    if (word == "test") return Command::rules_test;
    if (word == "operators") return Command::rules_operators;
    return word == "new" ? Command::rules_new : Command::rules_list;
}

base::Result<Settings> settings_of(const Options& options, const RawOptions& raw, base::FileSystem& fs) {
    if (raw.no_config && !raw.config.empty())
        return base::fail(ErrorKind::usage, "--config and --no-config exclude each other");
    if (raw.no_config) return Settings{};
    if (!raw.config.empty()) return read_settings(fs, raw.config);
    return find_settings(fs, options.reads_standard_input() ? options.stdin_name : options.paths.front());
}

// A path alone stands for `analyze PATH`.
base::Status complete_command(const CLI::App& app, base::FileSystem& fs, std::vector<std::string>& words) {
    if (words.empty())
        return base::fail(ErrorKind::usage, "name a command, such as analyze or migrate; see migrator --help");
    std::vector<std::string> names = command_line::command_names(app);
    const std::string first = words.front();
    if ((first.starts_with("-") && first != kStandardInput) || base::contains(names, first)) return {};
    if (first == kStandardInput || fs.exists(first)) {
        words.insert(words.begin(), "analyze");
        return {};
    }
    return base::fail(ErrorKind::usage, base::format("there is no command and no file \"{}\"{}; see migrator --help",
                                                     first, base::did_you_mean_or_all(first, names)));
}

}  // namespace

base::Result<CommandLine> parse_command_line(int argc, const char* const* argv, base::FileSystem& fs,
                                             const base::Language& language) {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    Options options;
    options.language = language;
    RawOptions raw;
    TRY_ASSIGN(auto translated, translate_peer_line(arguments));
    if (translated) {
        arguments = std::move(translated->arguments);
        options.notes = std::move(translated->notes);
    }
    arguments = command_line::spelled_out(std::move(arguments));
    if (!arguments.empty() && arguments.front() == "compare") {
        TRY_ASSIGN(arguments, translate_vendor_options(std::move(arguments)));
    }
    CLI::App app(kAbout, "migrator");
    command_line::begin(app);
    app.require_subcommand(1);
    app.footer(kExamples);
    CLI::App* analyze = add_analyze(app, options, raw);
    CLI::App* migrate = add_migrate(app, options, raw);
    add_explain(app, options);
    add_rules(app, options);
    add_ops(app, options);
    add_compare(app, options);
    add_profile(app, options);
    add_schema(app, options);
    add_review_commands(app, options);
    command_line::add_common(app);
    TRY(complete_command(app, fs, arguments));
    TRY_ASSIGN(auto text, command_line::parse(app, arguments, language));
    if (text) return CommandLine{std::nullopt, std::move(*text)};
    if (const auto command = review_command_of(app)) {
        options.command = *command;
        TRY(check_review(options));
        return CommandLine{std::move(options), {}};
    }
    options.command = command_of(app);
    const bool migrates = options.command == Command::migrate;
    if (!migrates && options.command != Command::analyze) return CommandLine{std::move(options), {}};
    TRY_ASSIGN(const Settings settings, settings_of(options, raw, fs));
    TRY_ASSIGN(auto said, apply_settings(fs, migrates ? *migrate : *analyze, migrates ? *analyze : *migrate,
                                         options.paths, settings));
    options.notes.insert(options.notes.end(), said.begin(), said.end());
    TRY_ASSIGN(Options finished, checked(std::move(options), raw));
    return CommandLine{std::move(finished), {}};
}

}  // namespace migrator
