// Report: everything a run found and did, ready to be written. Writers compute nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/language.h"
#include "base/message.h"
#include "base/text_sink.h"
#include "migrator/report/coverage_rows.h"
#include "migrator/report/effort.h"
#include "migrator/report/operator_row.h"
#include "migrator/report/program_outcome.h"
#include "migrator/report/report_project.h"
#include "migrator/report/run_origin_row.h"
#include "migrator/report/unknown_package.h"
#include "migrator/rewrite/file_outcome.h"
#include "migrator/rule/source.h"

namespace migrator {

inline constexpr std::string_view kReportSchema = "migrator-report/1";

// What the run was asked to do.
struct RunInfo {
    std::string command;             // "analyze" or "migrate"
    std::vector<std::string> paths;  // as given on the command line
    std::string output;              // of migrate: the copy, in place the first path, or "-"; else empty
    std::string tool_version;
    bool in_place = false;
    std::string root = {};                  // the directory that paths of files count from; empty for standard input
    std::vector<std::string> include = {};  // its patterns, by which files are part of the project
    std::vector<std::string> exclude = {};  // its patterns: what they name is copied, and not analysed
    RunOrigin origin = {};
    std::string homepage = {};  // of the program; empty: not known
};

// How the programs that a report is about come to a finding.
enum class Reach {
    hard,      // whatever happens
    optional,  // in some cases
    none,      // not at all
};
std::string_view name(Reach reach);

struct ReportFinding {
    std::string id;  // the same in the next run as long as rule, subject and the text of the line stay
    FindingOutcome outcome;
    Reach reach = Reach::hard;
    std::vector<std::string> together;  // ids of findings that are accepted with this one, or not at all
    std::vector<std::string> also;      // where else the same is to be said: "train.py:12"
};

// A replacement of bytes of a file. It is made when one of its findings is accepted.
struct ReportEdit {
    base::ByteRange bytes;     // of the file
    base::TextPosition begin;  // of the text, columns in code points
    base::TextPosition end;
    std::string old_text;
    std::string new_text;
    std::vector<std::string> findings;  // ids
};

// Lines of the original around findings and edits, without their ends; very long ones are cut.
struct Excerpt {
    std::uint32_t first_line = 1;
    std::vector<std::string> lines;
};

// A file with findings, changes or problems.
struct ReportFile {
    base::Path path;
    FileType type = FileType::other;
    std::uint64_t lines = 0;
    bool parsed = false;   // Python: the whole file parsed without an error node
    bool is_test = false;  // by its path: not code of the product
    bool changed = false;  // by the run; of `analyze` and `--apply none`: would be changed by the fixes
    Readiness readiness = Readiness::ready;
    std::vector<std::uint64_t> programs;  // of `analyze`: the first that load it, by their places in Report::programs
    std::vector<ReportFinding> findings;
    std::string sha256;             // of the original bytes; empty: there is no such file yet
    std::uint32_t new_mode = 0644;  // permission bits of a file that there is not yet
    std::string encoding;           // of the file, as Python names it
    std::vector<ReportEdit> edits;  // by position, without conflicts
    std::vector<Excerpt> excerpts;
    std::string diff;       // unified, of the bytes on the disk: what `git apply` takes; empty when unchanged
    std::string text_diff;  // the same of the UTF-8 text, where the bytes are in another encoding; else empty
};

// What report.json says of the bytes that edits are of.
struct OriginalRow {
    std::optional<std::string> sha256;
    std::optional<std::uint32_t> new_mode;
    std::string encoding;
};
// nullopt for a file without edits.
std::optional<OriginalRow> original_of(const ReportFile& file);

struct ToolRow {
    std::string name;
    std::string version;
};

// A package found in imports or requirements, one row per package.
struct ThirdPartyRow {
    std::string package;
    std::string status;  // "native", "ascend_fork", "replacement", "unsupported", "unknown"
    std::string advice;
    std::vector<std::string> places;       // "train.py:12", in report order
    std::vector<std::string> finding_ids;  // of the same findings
};

// A rule that findings of the report have, as data explains it.
struct RuleRow {
    struct Name {
        std::string from;
        std::string to;  // empty: it only is reported
    };
    std::string id;
    FindingKind kind = FindingKind::cuda_api;
    Severity severity = Severity::warning;
    Certainty certainty = Certainty::resolved;  // that a fix needs
    Effort effort = Effort::none;               // what it leaves to a person
    base::Message message;                      // see general_message
    std::string source;
    std::uint64_t name_count = 0;  // the names that it is about
    std::vector<Name> names;       // some of them
};

// Counts of one kind of finding.
struct KindRow {
    FindingKind kind = FindingKind::cuda_api;
    std::uint64_t findings = 0;
    std::uint64_t errors = 0;
    std::uint64_t warnings = 0;
    std::uint64_t infos = 0;
    std::uint64_t applied = 0;
    std::uint64_t available = 0;
    std::uint64_t to_review = 0;
};

// One thing a person has to do: the open findings of one rule; of third-party packages, those of one package.
struct ActionRow {
    Severity severity = Severity::warning;
    Effort effort = Effort::none;  // of the costliest finding
    FindingKind kind = FindingKind::cuda_api;
    std::string rule;
    std::string message;                // of the first finding
    std::vector<std::string> subjects;  // different ones, in report order
    std::uint64_t findings = 0;
    std::uint64_t files = 0;
    std::string place;        // of the first finding: "train.py:12"
    std::string finding_id;   // of the first finding
    bool unverified = false;  // no source is known for what is said, or for a part of it
};

// Behind the message of such a row, for people.
inline constexpr std::string_view kUnverifiedNote = " (No source is known for this, or for a part of it.)";

enum class Verdict {
    nothing_found,  // no finding at all
    native,         // the programs take an NPU by themselves
    ready,          // every warning and error is settled
    convertible,    // what is left can be applied by `migrate`
    partly,         // the first program takes an NPU by itself or by edits, and another has work left
    review,         // warnings are left, or no file was analysed
    blocked,        // errors are left
};
std::string_view name(Verdict verdict);

struct ReportSummary {
    std::uint64_t files_seen = 0;
    std::uint64_t files_analysed = 0;
    std::uint64_t files_changed = 0;
    std::uint64_t files_with_problems = 0;  // not readable, not decodable or not wholly parsed
    std::uint64_t lines = 0;
    std::uint64_t findings = 0;
    std::uint64_t applied = 0;
    std::uint64_t available = 0;
    std::uint64_t to_review = 0;                       // of severity warning or error, neither applied nor available
    std::uint64_t blocking = 0;                        // the errors among `to_review`
    std::map<std::string, std::uint64_t> by_severity;  // name(Severity) -> findings, zeros included
    std::map<std::string, std::uint64_t> by_state;     // name(FixState) -> findings, zeros included
    std::map<Effort, std::uint64_t> by_effort;         // findings that leave something to a person
    std::map<Readiness, std::uint64_t> by_readiness;   // analysed files
    std::vector<KindRow> by_kind;                      // kinds with findings, in the order of FindingKind
    Verdict verdict = Verdict::nothing_found;
    base::Message sentence;  // the verdict in words
};

struct Report {
    RunInfo run;
    ReportSummary summary;
    // Most severe first; then those with a source, the costliest, the most frequent.
    std::vector<ActionRow> actions;
    std::map<std::string, SourceEntry> sources;       // by the name under which findings and rules cite them
    std::vector<ThirdPartyRow> third_party;           // sorted by package
    std::vector<UnknownPackageRow> unknown_packages;  // those that code imports first, then by name
    std::vector<OperatorRow> operators;               // that C++ sources offer to Python, in their order
    std::optional<ReportProject> project;             // of one path
    std::vector<ProgramOutcome> programs;             // of `analyze`, what is started first in front
    std::vector<ApiCoverageRow> api_coverage;    // oldest version first; empty without Python that uses the framework
    std::vector<ChipCoverageRow> chip_coverage;  // empty without operators, and where no report is written
    std::optional<BaselineRow> baseline;         // of --baseline
    std::vector<RuleRow> rules;                  // of the findings, sorted by id
    std::vector<ReportFile> files;               // sorted by path; only files with something to say
    std::vector<base::Message> notes;            // skipped directories and the like
    std::map<std::string, base::Dictionary> translations;  // by language ("zh"): of what is said above
    base::Language language;                               // of the views for people; in no file that programs read
};

// How the run went, for the terminal only: the files of a report are the same for every run on the same input.
struct RunTrace {
    double seconds = 0;
    std::vector<std::string> written;  // report files, the one to open first in front
    base::Path record = {};            // of what was changed in place; empty: nothing
};

// Whether a person has to settle it.
bool needs_review(const FindingOutcome& outcome);

// Where a finding of a file is: "train.py:12".
std::string place_of(const base::Path& file, const FindingOutcome& outcome);

// Gives every finding its id, makes the diffs and lets go of the texts. `original` and `written` are the file's bytes
// before and after.
ReportFile make_report_file(FileOutcome outcome, std::string_view original, std::string_view written);

// `files`: all analysed files, in any order; the ones with nothing to say are dropped.
// `package_status`: subject of a third-party finding -> status; packages that are not in it are "unknown".
Report make_report(RunInfo run, std::vector<ReportFile> files, std::uint64_t files_seen,
                   const std::map<std::string, std::string>& package_status, std::vector<base::Message> notes);

// Fills report.baseline.
void compare_with(const Baseline& baseline, Report& report);

// Whether a finding is not applied and has at least this severity. `known`: ids that do not count.
bool is_open_finding(const ReportFinding& item, Severity at_least, const std::set<std::string>& known);

// True when there is such a finding. `known`: ids that do not count.
bool has_open_finding(const Report& report, Severity at_least, const std::set<std::string>& known = {});

// Schema: docs/reference/report-schema.md. `indent` 0: on one line.
void report_json(const Report& report, const base::TextSink& out, int indent = 2);
std::string report_schema();
// One file, no network: the parts below templates/report/, and the report's JSON, compressed.
void report_html(const Report& report, const base::DataStore& templates, const base::TextSink& out);

// A page on the disk asks for nothing; one that is served keeps its decisions where it comes from.
enum class PageKind { file, served };
// The page of a report.json.
void report_page(const base::TextSource& json, const base::DataStore& templates, PageKind kind,
                 const base::TextSink& out);

// Fixes for speed alone that could be applied and need nobody to look at them.
std::size_t faster_forms(const std::vector<ReportFile>& files);

void report_diff(const Report& report, const base::TextSink& out);  // unified diff of all changed files

struct TerminalStyle {
    bool colour = false;
    bool verbose = false;  // one line per file, and nothing shortened
};
std::string report_terminal(const Report& report, const RunTrace& trace, TerminalStyle style);

}  // namespace migrator
