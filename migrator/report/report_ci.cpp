#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/markup.h"
#include "base/printable.h"
#include "migrator/report/formats.h"

namespace migrator {
namespace {

bool is_open(const ReportFinding& item) { return item.outcome.state != FixState::applied; }

// A value of a workflow command; as a property also without what ends one.
std::string github_text(std::string_view text, bool is_property) {
    std::string out;
    for (char c : base::printable_lines(text)) {
        const bool escaped = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
        if (escaped) out += base::format("%{:02X}", static_cast<unsigned char>(c));
        else out += c;
    }
    return out;
}

std::string_view gitlab_severity(Severity severity) {
    return severity == Severity::error ? "major" : severity == Severity::warning ? "minor" : "info";
}

// Text of an element or attribute; what XML 1.0 cannot hold is not printable either.
std::string xml_text(std::string_view text) { return base::markup_text(base::printable_lines(text)); }

bool fails(const ReportFinding& item) { return is_open(item) && item.outcome.finding.severity != Severity::info; }

std::string junit_case(const ReportFile& file, const ReportFinding& item) {
    const Finding& finding = item.outcome.finding;
    const std::string head =
        base::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\"", xml_text(file.path),
                     xml_text(base::format("{} {} ({})", finding.rule, finding.subject, item.id)), xml_text(file.path),
                     item.outcome.begin.line);
    if (!fails(item)) return head + "/>\n";
    return head + base::format(">\n      <failure type=\"{}\" message=\"{}\">{}:{}: {}</failure>\n    </testcase>\n",
                               name(finding.severity), xml_text(finding.message.text()), xml_text(file.path),
                               item.outcome.begin.line, xml_text(finding.message.text()));
}

// GitHub shows no more of each kind for a step.
constexpr std::size_t kShownByGithub = 10;

std::string github_line(std::string_view word, const ReportFile& file, const ReportFinding& item) {
    const Finding& finding = item.outcome.finding;
    return base::format("::{} file={},line={},endLine={},title={}::{}\n", word, github_text(file.path, true),
                        item.outcome.begin.line, item.outcome.end.line, github_text(finding.rule, true),
                        github_text(finding.message.text(), false));
}

}  // namespace

std::string report_github(const Report& report) {
    std::string out;
    std::vector<std::string> counts;
    for (const Severity severity : {Severity::error, Severity::warning, Severity::info}) {
        const std::string_view word = severity == Severity::info ? "notice" : name(severity);
        // The summary is a notice itself.
        const std::size_t shown = severity == Severity::info ? kShownByGithub - 1 : kShownByGithub;
        std::size_t open = 0;
        for (const ReportFile& file : report.files) {
            for (const ReportFinding& item : file.findings) {
                if (!is_open(item) || item.outcome.finding.severity != severity || ++open > shown) continue;
                out += github_line(word, file, item);
            }
        }
        counts.push_back(base::plural(open, std::string(word)));
    }
    if (out.empty()) return out;
    return out + base::format("::notice title=migrator::open: {}; at most {} of each kind are shown here\n",
                              base::joined(counts, ", "), kShownByGithub);
}

std::string report_gitlab(const Report& report) {
    base::JsonWriter json;
    json.begin_array();
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) {
            if (!is_open(item)) continue;
            json.begin_object();
            json.key("description").string(item.outcome.finding.message.text());
            json.key("check_name").string(item.outcome.finding.rule);
            json.key("fingerprint").string(item.id);
            json.key("severity").string(gitlab_severity(item.outcome.finding.severity));
            json.key("location").begin_object();
            json.key("path").string(file.path);
            json.key("lines").begin_object().key("begin").unsigned_integer(item.outcome.begin.line).end_object();
            json.end_object();
            json.end_object();
        }
    }
    json.end_array();
    return std::move(json).take() + "\n";
}

void report_junit(const Report& report, const base::TextSink& out) {
    std::size_t all = 0;
    std::ptrdiff_t failures = 0;
    for (const ReportFile& file : report.files) {
        all += file.findings.size();
        failures += std::ranges::count_if(file.findings, fails);
    }
    out(
        base::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"migrator\" tests=\"{}\" "
                     "failures=\"{}\">\n",
                     all, failures));
    for (const ReportFile& file : report.files) {
        out(base::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n", xml_text(file.path),
                         file.findings.size(), std::ranges::count_if(file.findings, fails)));
        for (const ReportFinding& item : file.findings) out(junit_case(file, item));
        out("  </testsuite>\n");
    }
    out("</testsuites>\n");
}

}  // namespace migrator
