#include "migrator/report/formats.h"

namespace migrator {
namespace {

// Not by a list of elements, which would copy what may be hundreds of megabytes.
std::vector<FormatFile> one_file(std::string_view path, std::string content) {
    std::vector<FormatFile> out;
    out.push_back({std::string(path), std::move(content)});
    return out;
}

template <std::string (*kWrite)(const Report&)>
std::vector<FormatFile> one(std::string_view path, const Report& report) {
    return one_file(path, kWrite(report));
}

constexpr std::string_view kHtml = "report.html";
constexpr std::string_view kJson = "report.json";
constexpr std::string_view kDiff = "report.diff";
constexpr std::string_view kMarkdown = "report.md";
constexpr std::string_view kCsv = "findings.csv";
constexpr std::string_view kTransplant = "transplant/";
constexpr std::string_view kSarif = "report.sarif";
constexpr std::string_view kGitlab = "gl-code-quality-report.json";
constexpr std::string_view kJunit = "junit.xml";

std::string json(const Report& report) { return report_json(report); }

constexpr Format kFormats[] = {
    {"html", kHtml, true,
     [](const Report& report, const base::DataStore& templates) {
         return one_file(kHtml, report_html(report, templates));
     }},
    {"json", kJson, true, [](const Report& report, const base::DataStore&) { return one<json>(kJson, report); }},
    {"diff", kDiff, true, [](const Report& report, const base::DataStore&) { return one<report_diff>(kDiff, report); }},
    {"markdown", kMarkdown, false,
     [](const Report& report, const base::DataStore&) { return one<report_markdown>(kMarkdown, report); }},
    {"csv", kCsv, false, [](const Report& report, const base::DataStore&) { return one<report_csv>(kCsv, report); }},
    {"transplant", kTransplant, false,
     [](const Report& report, const base::DataStore&) { return report_transplant_csv(report); }},
    {"sarif", kSarif, false,
     [](const Report& report, const base::DataStore&) { return one<report_sarif>(kSarif, report); }},
    {"gitlab", kGitlab, false,
     [](const Report& report, const base::DataStore&) { return one<report_gitlab>(kGitlab, report); }},
    {"junit", kJunit, false,
     [](const Report& report, const base::DataStore&) { return one<report_junit>(kJunit, report); }},
};

}  // namespace

std::span<const Format> all_formats() { return kFormats; }

}  // namespace migrator
