// The views of a report that are files, by the name that --format takes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "migrator/report/report.h"

namespace migrator {

// A file of a format: its path in the report's directory, and what it says.
struct FormatFile {
    std::string path;
    std::string content;
};

struct Format {
    std::string_view name;
    std::string_view file;  // or folder, with a slash
    bool by_default = false;
    std::vector<FormatFile> (*write)(const Report& report, const base::DataStore& templates) = nullptr;
};

// In the order that the files are named to the user: the one to open first in front.
std::span<const Format> all_formats();

std::string report_markdown(const Report& report);
std::string report_csv(const Report& report);  // one row per finding
// The files of the older transplant tool, with its names and columns, for scripts that read them.
std::vector<FormatFile> report_transplant_csv(const Report& report);
std::string report_sarif(const Report& report);   // SARIF 2.1.0
std::string report_github(const Report& report);  // workflow commands of GitHub, for standard output
std::string report_gitlab(const Report& report);  // code quality report of GitLab
std::string report_junit(const Report& report);   // a test case per finding; open warnings and errors fail

// A cell of a CSV file that no spreadsheet takes for a formula.
std::string csv_cell(std::string_view text);

}  // namespace migrator
