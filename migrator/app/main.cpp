// migrator: the program. Prints what a run gives and turns errors into messages and exit codes.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/console.h"
#include "base/format.h"
#include "base/guarded.h"
#include "base/human.h"
#include "base/interrupt.h"
#include "base/printable.h"
#include "base/shell_word.h"
#include "base/standard_descriptors.h"
#include "base/write_file.h"
#include "command_line/spoken_language.h"
#include "migrator/app/compare_command.h"
#include "migrator/app/explain.h"
#include "migrator/app/library_run.h"
#include "migrator/app/ops_command.h"
#include "migrator/app/options.h"
#include "migrator/app/pipeline.h"
#include "migrator/app/printed_schemas.h"
#include "migrator/app/review_commands.h"
#include "migrator/app/rule_pages.h"
#include "migrator/app/run_origin.h"
#include "migrator/app/settings.h"
#include "migrator/report/formats.h"

namespace {

using namespace migrator;

constexpr int kFindingsExitCode = 1;

int fail_with(const base::Error& error, const base::Language& language) {
    base::print(stderr, language.format("migrator: error: {}\n", language.error_text(error)));
    return base::exit_code(error.kind);
}

base::TextSink bytes_to(std::FILE* stream) {
    return [stream](std::string_view text) { base::print_bytes(stream, text); };
}

// Sources and diffs: exact for a program that reads them, without commands for a terminal.
base::TextSink source_to(std::FILE* stream) {
    if (::isatty(::fileno(stream)) == 0) return bytes_to(stream);
    return [stream](std::string_view text) { base::print(stream, text); };
}

void print_warning(const std::string& warning, const base::Language& language) {
    if (!warning.empty())
        base::print(stderr, language.format("migrator: warning: {}.\n", base::printable(language.said(warning))));
}

// Standard output is for one thing: the migrated source, a diff, the report as JSON, or the summary.
void print_result(const Options& options, const RunResult& result) {
    const bool migrates = options.command == Command::migrate;
    const bool text = migrates && options.destination == Destination::text;
    const bool diff = migrates && options.destination == Destination::diff;
    if (text) source_to(stdout)(result.text);
    if (diff) report_diff(result.report, source_to(stdout));
    if (options.github) base::print(text ? stderr : stdout, report_github(result.report));
    if (options.json) report_json(result.report, bytes_to(text ? stderr : stdout));
    print_warning(result.warning, options.language);
    for (const base::Message& note : options.notes) {
        if (is_about_others_settings(note))
            base::print(stderr, options.language.format("migrator: warning: {}\n",
                                                        base::printable(result.report.language.said(note.text()))));
    }
    if (options.quiet || (options.json && text)) return;
    const bool taken = text || diff || options.json || options.github;
    std::FILE* stream = taken ? stderr : stdout;
    TerminalStyle style{base::wants_colour(taken ? STDERR_FILENO : STDOUT_FILENO), options.verbose};
    base::print(stream, report_terminal(result.report, result.trace, style));
}

base::Result<std::string> read_standard_input() {
    constexpr std::size_t kMaxBytes = std::size_t{64} << 20;  // as of a file
    std::string text;
    std::string chunk(std::size_t{1} << 16, '\0');
    while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), stdin)) {
        text.append(chunk, 0, got);
        if (text.size() > kMaxBytes)
            return base::fail(base::ErrorKind::bad_input, "standard input has more than 64 MiB");
    }
    if (std::ferror(stdin) != 0) return base::fail(base::ErrorKind::bad_input, "standard input cannot be read");
    return text;
}

bool is_run(Command command) { return command == Command::analyze || command == Command::migrate; }

bool is_about_reports(Command command) {
    return command == Command::apply || command == Command::undo || command == Command::reapply ||
           command == Command::report_diff || command == Command::serve;
}

// Of --check: whether a migration would do something.
bool is_unfinished(const Options& options, const Report& report) {
    return options.command == Command::migrate && options.destination == Destination::check &&
           report.summary.files_changed > 0;
}

// On the page of a workflow run, where the runner says that there is one. Other programs of the step may have written to it.
base::Status add_step_summary(const Report& report) {
    const char* path = std::getenv("GITHUB_STEP_SUMMARY");
    if (path == nullptr || *path == '\0') return {};
    std::FILE* file = std::fopen(path, "a");
    if (file == nullptr)
        return base::fail(base::ErrorKind::write_failed, "GITHUB_STEP_SUMMARY cannot be written", path);
    base::print_bytes(file, report_step_summary(report));
    if (std::fclose(file) != 0)
        return base::fail(base::ErrorKind::write_failed, "GITHUB_STEP_SUMMARY cannot be written", path);
    return {};
}

// Why the run fails, in one line: with --quiet nothing else tells.
std::string reason_to_fail(const Options& options, const Report& report, const std::set<std::string>& known) {
    if (is_unfinished(options, report))
        return base::show("{} would change; `migrator migrate {} --diff` shows how",
                          base::plural(report.summary.files_changed, "file"), base::shell_paths(options.paths));
    std::size_t count = 0;
    std::string first;
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) {
            if (!is_open_finding(item, *options.fail_on, known) || count++ > 0) continue;
            first = base::format("{} {} ({})", place_of(file.path, item.outcome), item.outcome.finding.message.text(),
                                 item.outcome.finding.rule);
        }
    }
    return base::show("open at or above {}: {}, the first is {}", name(*options.fail_on),
                      base::plural(count, "finding"), first);
}

// Files that end too early give what is whole, and the exit code of bad input.
base::Result<int> compare(const Options& options, base::FileSystem& fs) {
    const bool is_one = options.command == Command::profile;
    const auto print = [](std::string_view text) { base::print(stdout, text); };
    TRY_ASSIGN(const CompareOutcome outcome,
               is_one ? run_profile(options, fs, print) : run_compare(options, fs, print));
    TRY(base::flush_output());
    for (const std::string& damage : outcome.damage) print_warning(damage, options.language);
    for (const std::string& slower : outcome.slower) print_warning(slower, options.language);
    if (!outcome.damage.empty()) return base::exit_code(base::ErrorKind::bad_input);
    return outcome.slower.empty() ? 0 : kFindingsExitCode;
}

base::Result<int> run_command_line(int argc, const char* const* argv, const base::Language& language) {
    base::FileSystem& fs = base::real_file_system();
    TRY_ASSIGN(CommandLine line, parse_command_line(argc, argv, fs, language));
    if (!line.options) {
        base::print(stdout, line.text);
        TRY(base::flush_output());
        return 0;
    }
    if (is_about_reports(line.options->command)) {
        TRY_ASSIGN(const std::string text, review_command(*line.options, fs));
        base::print(stdout, language.lines(text));
        TRY(base::flush_output());
        return 0;
    }
    if (line.options->command == Command::explain) {
        TRY_ASSIGN(const std::string text, explain_page(*line.options, fs));
        base::print(stdout, text);
        TRY(base::flush_output());
        return 0;
    }
    if (line.options->command == Command::ops) {
        if (line.options->ops.input == kStandardInput) {
            TRY_ASSIGN(line.options->stdin_text, read_standard_input());
        }
        TRY_ASSIGN(const OpsResult result, run_ops(*line.options, fs));
        print_warning(result.warning, language);
        base::print(stdout, result.text);
        TRY(base::flush_output());
        return result.failed ? kFindingsExitCode : 0;
    }
    if (line.options->command == Command::rules_operators) {
        TRY_ASSIGN(const std::string text, operator_list_page(*line.options, fs));
        base::print(stdout, text);
        TRY(base::flush_output());
        return 0;
    }
    if (line.options->command == Command::compare || line.options->command == Command::profile)
        return compare(*line.options, fs);
    if (line.options->command == Command::schema) {
        for (const PrintedSchema& schema : kPrintedSchemas) {
            if (line.options->explained == schema.file) base::print_bytes(stdout, schema.text());
        }
        TRY(base::flush_output());
        return 0;
    }
    if (!is_run(line.options->command)) {
        TRY_ASSIGN(const RulePages pages, rule_pages(*line.options, fs));
        base::print(stdout, pages.text);
        TRY(base::flush_output());
        return pages.failed ? base::exit_code(base::ErrorKind::rule_data) : 0;
    }
    if (line.options->reads_standard_input()) {
        TRY_ASSIGN(line.options->stdin_text, read_standard_input());
    }
    if (line.options->library) {
        TRY_ASSIGN(const std::string result, analyse_library(*line.options, fs));
        for (const base::Message& note : line.options->notes)
            base::print(stderr, base::show("migrator: {}\n", language.said(note.text())));
        if (line.options->library_result.empty()) base::print_bytes(stdout, result);
        else TRY(base::write_file(fs, line.options->library_result, result));
        TRY(base::flush_output());
        return 0;
    }
    note_origin(fs, argc, argv, *line.options);
    if (!line.options->baseline.empty()) {
        TRY_ASSIGN(line.options->known, baseline_of(fs, line.options->baseline));
    }
    TRY_ASSIGN(RunResult result, run(*line.options, fs));
    print_result(*line.options, result);
    if (line.options->github) TRY(add_step_summary(result.report));
    TRY(base::flush_output());
    const std::set<std::string> known = line.options->known ? line.options->known->ids : std::set<std::string>{};
    const bool failed = (line.options->fail_on && has_open_finding(result.report, *line.options->fail_on, known)) ||
                        is_unfinished(*line.options, result.report);
    if (failed && line.options->quiet)
        base::print(stderr,
                    base::format("migrator: {}\n", language.said(reason_to_fail(*line.options, result.report, known))));
    return failed ? kFindingsExitCode : 0;
}

}  // namespace

int main(int argc, char** argv) {
    base::keep_standard_descriptors();
    base::note_signals();
    base::Language language;
    const auto code = base::guarded([&]() -> base::Result<int> {
        TRY_ASSIGN(const auto words, command_line::take_language(argc, argv, language));
        return run_command_line(static_cast<int>(words.size()), words.data(), language);
    });
    if (!code) return fail_with(code.error(), language);
    return base::reader_is_gone() ? base::kReaderIsGone : *code;
}
