// The views of a report that are files, by the name that --format takes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/text_sink.h"
#include "migrator/report/report.h"

namespace migrator {

struct NamedText {
    std::string path;  // in the report's directory
    std::string text;
};

// One file, or a folder of small ones.
struct Format {
    std::string_view name;
    std::string_view file;  // or folder, with a slash
    bool by_default = false;
    void (*text)(const Report& report, const base::DataStore& templates, const base::TextSink& out) = nullptr;
    std::vector<NamedText> (*folder)(const Report& report) = nullptr;
};

// In the order that the files are named to the user: the one to open first in front.
std::span<const Format> all_formats();

std::string report_markdown(const Report& report);
std::string report_step_summary(const Report& report);  // the first part of it, for the page of a workflow run
std::string report_csv(const Report& report);           // one row per finding
// The files of the older transplant tool, with its names and columns, for scripts that read them.
std::vector<NamedText> report_transplant_csv(const Report& report);
void report_sarif(const Report& report, const base::TextSink& out);  // SARIF 2.1.0
std::string report_github(
    const Report& report);  // workflow commands of GitHub, for standard output: the most severe, a summary last
std::string report_gitlab(const Report& report);  // code quality report of GitLab
// A test case per finding; open warnings and errors fail.
void report_junit(const Report& report, const base::TextSink& out);

}  // namespace migrator
