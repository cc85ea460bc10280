// migrator: the program. Prints what a run gives and turns errors into messages and exit codes.
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "base/console.h"
#include "base/format.h"
#include "migrator/app/options.h"
#include "migrator/app/pipeline.h"
#include "migrator/app/rule_pages.h"

namespace {

using namespace migrator;

constexpr int kFindingsExitCode = 1;

int fail_with(const base::Error& error) {
    base::print(stderr, "migrator: error: {}\n", error.text());
    return base::exit_code(error.kind);
}

void print(std::FILE* stream, const std::string& text) { std::fwrite(text.data(), 1, text.size(), stream); }

// A full disk or a closed pipe shows only when the last bytes leave the process.
base::Status flush_output() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
    return base::fail(base::ErrorKind::write_failed, "cannot write to standard output");
}

void print_result(const Options& options, const RunResult& result) {
    const bool diff = options.command == Command::migrate && options.destination == Destination::diff;
    if (options.json) print(stdout, report_json(result.report));
    if (diff) print(stdout, report_diff(result.report));
    if (options.quiet) return;
    std::FILE* stream = options.json || diff ? stderr : stdout;
    TerminalStyle style{base::wants_colour(options.json || diff ? STDERR_FILENO : STDOUT_FILENO), options.verbose};
    print(stream, report_terminal(result.report, result.trace, style));
}

// Of --check: whether a migration would do something.
bool is_unfinished(const Options& options, const Report& report) {
    return options.command == Command::migrate && options.destination == Destination::check &&
           report.summary.files_changed > 0;
}

base::Result<int> run_command_line(int argc, char** argv) {
    TRY_ASSIGN(CommandLine line, parse_command_line(argc, argv));
    if (!line.options) {
        print(stdout, line.text);
        TRY(flush_output());
        return 0;
    }
    if (line.options->command == Command::explain || line.options->command == Command::rules) {
        TRY_ASSIGN(const std::string pages, rule_pages(*line.options, base::real_file_system()));
        print(stdout, pages);
        TRY(flush_output());
        return 0;
    }
    TRY_ASSIGN(RunResult result, run(*line.options, base::real_file_system()));
    print_result(*line.options, result);
    TRY(flush_output());
    bool failed = (line.options->fail_on && has_open_finding(result.report, *line.options->fail_on)) ||
                  is_unfinished(*line.options, result.report);
    return failed ? kFindingsExitCode : 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto code = run_command_line(argc, argv);
        return code ? *code : fail_with(code.error());
    } catch (const std::exception& error) {
        return fail_with({base::ErrorKind::internal, error.what(), "", {}});
    }
}
