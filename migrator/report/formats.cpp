#include "migrator/report/formats.h"

namespace migrator {
namespace {

void html(const Report& report, const base::DataStore& templates, const base::TextSink& out) {
    report_html(report, templates, out);
}

void json(const Report& report, const base::DataStore&, const base::TextSink& out) { report_json(report, out); }

void sarif(const Report& report, const base::DataStore&, const base::TextSink& out) { report_sarif(report, out); }

void junit(const Report& report, const base::DataStore&, const base::TextSink& out) { report_junit(report, out); }

void diff(const Report& report, const base::DataStore&, const base::TextSink& out) { report_diff(report, out); }

template <std::string (*kText)(const Report&)>
void whole(const Report& report, const base::DataStore&, const base::TextSink& out) {
    out(kText(report));
}

constexpr Format kFormats[] = {
    {"html", "report.html", true, html},
    {"json", "report.json", true, json},
    {"diff", "report.diff", true, diff},
    {"markdown", "report.md", false, whole<report_markdown>},
    {"csv", "findings.csv", false, whole<report_csv>},
    {"transplant", "transplant/", false, nullptr, report_transplant_csv},
    {"sarif", "report.sarif", false, sarif},
    {"gitlab", "gl-code-quality-report.json", false, whole<report_gitlab>},
    {"junit", "junit.xml", false, junit},
};

}  // namespace

std::span<const Format> all_formats() { return kFormats; }

}  // namespace migrator
