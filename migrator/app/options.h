// Options: the command line of `migrator`, checked as far as it can be without looking at the disk.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "migrator/rewrite/rewriter.h"

namespace migrator {

enum class Command { analyze, migrate, explain, rules };

// What becomes of the migrated files.
enum class Destination {
    copy,      // a copy of the project
    in_place,  // the project's own files
    diff,      // a diff on standard output
    check,     // nothing; the exit code tells whether there is something to do
};

struct ReportFormats {
    bool json = true;
    bool html = true;
    bool diff = true;
};

struct Options {
    Command command = Command::analyze;
    std::vector<base::Path> paths;                // of migrate: one
    Destination destination = Destination::copy;  // of migrate
    base::Path output;                            // of migrate, for a copy
    std::string rule;                             // of explain
    base::Path report_directory;                  // empty: no report files
    ReportFormats formats;
    ApplyMode apply = ApplyMode::safe;  // of migrate
    StyleKind style = StyleKind::npu;
    std::vector<std::string> include;
    std::vector<std::string> exclude;
    int threads = 0;                  // 0: one per core
    base::Path rules;                 // overlay of the compiled-in rules; empty: none
    std::optional<Severity> fail_on;  // empty: never
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    bool progress = true;
};

struct CommandLine {
    std::optional<Options> options;  // empty when only `text` was asked for
    std::string text;                // help or version
};

base::Result<CommandLine> parse_command_line(int argc, const char* const* argv);

}  // namespace migrator
