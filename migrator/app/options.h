// Options: the command line of `migrator`, checked as far as it can be without looking at the project.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/language.h"
#include "base/message.h"
#include "migrator/report/run_origin_row.h"
#include "migrator/rewrite/rewriter.h"
#include "migrator/rule/megatron_road.h"
#include "migrator/rule/version.h"

namespace migrator {

enum class Command {
    analyze,
    migrate,
    explain,
    rules_list,
    rules_check,
    rules_test,
    rules_new,
    rules_operators,
    schema,
    apply,
    undo,
    reapply,
    report_diff,
    serve,
    ops,
    compare,
    profile,
};

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

inline constexpr std::string_view kStandardInput = "-";
inline constexpr std::string_view kReportSuffix = "_report";  // of the directory next to a copy
inline constexpr std::string_view kGithubFormat = "github";   // goes to standard output

// Of the commands that work with a report.
struct ReviewOptions {
    base::Path report;     // of report diff: the older one
    base::Path other;      // of report diff: the newer one
    base::Path decisions;  // empty: none
    base::Path project;    // empty: where the report says
    base::Path record;     // of what was applied; empty: see record_path()
    bool keep_record = true;
    bool only_accepted = false;  // leave out the safe fixes that nobody has decided about
    bool in_place = false;
    std::uint16_t port = 0;  // of serve; 0: one that is free
};

// Of ops.
struct OpsOptions {
    base::Path input;
    std::string torch_version;  // empty: that which was measured
    std::string fail_on = "never";
    bool recorder = false;  // instead of judging an input: print the module that records one
};

// Of rules operators.
struct OperatorListOptions {
    std::vector<std::string> words;   // in the names of operators; empty: all operators
    std::string verdict;              // empty: any
    std::string torch_version;        // empty: that which was measured
    std::string other_chip;           // to compare with; empty: the same
    std::string other_torch_version;  // to compare with; empty: the same
};

// Of compare.
struct CompareOptions {
    base::Path base, compared;
    std::string compat;             // the tool whose figures are given; empty: ours
    std::vector<std::string> only;  // words of --only; empty: all
    std::string base_step, step;    // empty: all
    std::vector<std::string> map;   // OLD=NEW, or an object of JSON
    bool by_shape = false, by_type = false, no_details = false, no_modules = false;
    std::uint64_t max_kernels = 0;  // 0: pairs of operators stay whole
    std::string flow_category;
    base::Path project;     // the code that was profiled; empty: not known
    std::string fail_over;  // "5%"; empty: never
};

// Of profile.
struct ProfileOptions {
    base::Path path;
    std::string step;  // empty: all
};

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
    bool start_script = false;                    // of migrate: also scripts that start the programs
    std::string instrument;                       // of migrate: "profiler", "none" ...; empty: nothing to do
    base::Path loop;                              // of instrument: FILE or FILE:LINE; empty: the only one
    bool library = false;                         // of analyze: which functions reach what the NPU lacks, as JSON
    base::Path library_result;                    // of --library: where to; empty: standard output
    std::vector<base::Path> with_libraries;       // results of --library, of libraries that the project calls
    std::string explained;                        // of explain: a rule's id, or a word that rules speak of
    base::Path report_directory;                  // empty: no report files
    base::Path skeleton;                          // directory for skeletons of custom operators; empty: none
    std::vector<std::string> formats;             // names of report formats; empty: the usual ones
    bool github = false;                          // print GitHub's workflow commands
    ApplyMode apply = ApplyMode::safe;            // of migrate
    bool affinity = false;                        // of migrate: also what is only faster
    bool edit_native = false;                     // also programs that take an NPU by themselves
    std::vector<std::string> programs;            // that the report is about; empty: those that people start
    bool is_whole = false;                        // the report is about all files, whoever loads them
    StyleKind style = StyleKind::npu;
    std::string megatron{kMegatronRoads.front()};  // the road of projects that build on Megatron
    std::vector<std::string> include;
    std::vector<std::string> exclude;
    std::optional<Version> torch_version;  // empty: look for it
    std::string chip;                      // that operators are judged for; empty: the usual one
    int threads = 0;                       // 0: one per core
    base::Path rules;                      // overlay of the compiled-in rules; empty: none
    std::optional<Severity> fail_on;       // empty: never
    base::Path baseline;                   // report.json whose findings do not count for `fail_on`; empty: none
    base::Language language;               // of what people read
    RunOrigin origin;                      // filled by main, but for the option --source-url
    std::optional<Baseline> known;         // of `baseline`, filled by main
    std::vector<base::Message> notes;      // about the options themselves, for the report
    ReviewOptions review;
    OpsOptions ops;
    OperatorListOptions operator_list;
    CompareOptions compare;
    ProfileOptions profile;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    bool progress = true;

    bool writes() const {
        return destination == Destination::copy || destination == Destination::in_place ||
               destination == Destination::text;
    }
    bool reads_standard_input() const { return paths == std::vector<base::Path>{base::Path(kStandardInput)}; }
};

struct CommandLine {
    std::optional<Options> options;  // empty when only `text` was asked for
    std::string text;                // help or version
};

// `fs`: for settings files.
base::Result<CommandLine> parse_command_line(int argc, const char* const* argv, base::FileSystem& fs,
                                             const base::Language& language = {});

}  // namespace migrator
