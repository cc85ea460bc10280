// Report: everything a run found and did, ready to be written. Writers compute nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "migrator/rewrite/file_outcome.h"

namespace migrator {

// A package found in imports or requirements, one row per package.
struct ThirdPartyRow {
    std::string package;
    std::string status;    // "native", "ascend_fork", "replacement", "unsupported", "unknown"
    std::string advice;
    std::vector<std::string> places;  // "train.py:12"
};

struct ReportSummary {
    std::uint64_t files_seen = 0;
    std::uint64_t files_analysed = 0;
    std::uint64_t files_changed = 0;
    std::uint64_t files_with_problems = 0;  // not decodable or not wholly parsed
    std::uint64_t lines = 0;
    std::map<std::string, std::uint64_t> by_kind;      // name(FindingKind) -> findings
    std::map<std::string, std::uint64_t> by_severity;
    std::map<std::string, std::uint64_t> by_state;     // name(FixState)
    std::uint64_t applied = 0;
    std::uint64_t to_review = 0;  // findings of severity warning or error that no fix settled
};

struct Report {
    std::string command;       // "analyze" or "migrate"
    std::string project;       // as given on the command line
    std::string output;        // of migrate; empty for analyze
    std::string tool_version;
    ReportSummary summary;
    std::vector<ThirdPartyRow> third_party;  // sorted by package
    std::vector<FileOutcome> files;          // sorted by path; only files with findings, changes or problems
    std::vector<std::string> notes;          // skipped directories and the like
    double seconds = 0;
};

// Fills summary and third-party rows from `files` (all analysed files) and drops the ones with nothing to say.
Report make_report(std::string command, std::string project, std::string output, std::vector<FileOutcome> files,
                   std::uint64_t files_seen, std::vector<std::string> notes);

std::string report_json(const Report& report);  // schema: docs/reference/report-schema.md
// `template_html`: templates/report/report.html, in which the data is embedded; one file, no network.
std::string report_html(const Report& report, std::string_view template_html);
std::string report_diff(const Report& report);      // unified diff of all changed files
std::string report_terminal(const Report& report, bool colour);  // the summary with counts and the next step

}  // namespace migrator
