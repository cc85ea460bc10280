// Options: the command line of `migrator`, checked as far as it can be without looking at the project.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "migrator/rewrite/rewriter.h"
#include "migrator/ruleset/version.h"

namespace migrator {

enum class Command { analyze, migrate, explain, rules_list, rules_check, rules_test, rules_new };

// What becomes of the migrated files.
enum class Destination {
    copy,      // a copy of the project
    in_place,  // the project's own files
    diff,      // a diff on standard output
    check,     // nothing; the exit code tells whether there is something to do
    text,      // the source itself on standard output: the way of standard input
};

// What becomes of very large files that are not analysed.
enum class LargeFiles { link, copy, skip };

struct ReportFormats {
    bool json = true;
    bool html = true;
    bool diff = true;
};

inline constexpr std::string_view kStandardInput = "-";

struct Options {
    Command command = Command::analyze;
    std::vector<base::Path> paths;                // of migrate into a copy: one. Of rules: where rule files are
    std::string stdin_name = "stdin.py";          // the name of the file that comes through standard input
    std::string stdin_text;                       // filled by main
    Destination destination = Destination::copy;  // of migrate
    base::Path output;                            // of migrate, for a copy
    bool force = false;                           // of migrate: replace an output that is there
    LargeFiles large_files = LargeFiles::link;    // of migrate, for a copy
    base::Path distributed_main;                  // of migrate: the script to make distributed; empty: none
    std::string model = "model";                  // the variable in it that holds the model
    bool library = false;                         // of analyze: which functions reach what the NPU lacks, as JSON
    base::Path library_result;                    // of --library: where to; empty: standard output
    std::vector<base::Path> with_libraries;       // results of --library, of libraries that the project calls
    std::string rule;                             // of explain
    base::Path report_directory;                  // empty: no report files
    ReportFormats formats;
    ApplyMode apply = ApplyMode::safe;  // of migrate
    StyleKind style = StyleKind::npu;
    std::vector<std::string> include;
    std::vector<std::string> exclude;
    std::optional<Version> torch_version;  // empty: look for it
    int threads = 0;                       // 0: one per core
    base::Path rules;                      // overlay of the compiled-in rules; empty: none
    std::optional<Severity> fail_on;       // empty: never
    std::vector<std::string> notes;        // about the options themselves, for the report
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    bool progress = true;

    bool reads_standard_input() const { return paths == std::vector<base::Path>{base::Path(kStandardInput)}; }
};

struct CommandLine {
    std::optional<Options> options;  // empty when only `text` was asked for
    std::string text;                // help or version
};

// `fs`: for settings files.
base::Result<CommandLine> parse_command_line(int argc, const char* const* argv, base::FileSystem& fs);

}  // namespace migrator
