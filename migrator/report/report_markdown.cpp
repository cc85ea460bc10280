#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "base/printable.h"
#include "migrator/report/formats.h"
#include "migrator/report/titles.h"

namespace migrator {
namespace {

// Text in which nothing is markup.
std::string plain(std::string_view text) {
    std::string out;
    for (char c : base::printable(text)) {
        if (c == '<') out += "&lt;";
        else if (c == '&') out += "&amp;";
        else if (std::string_view("\\`*_[]|>#~!").find(c) != std::string_view::npos) out += std::string{'\\', c};
        else out += c;
    }
    return out;
}

// Code that may have backticks itself, also in a table.
std::string code(std::string_view text) {
    std::string one_line;
    for (char c : base::printable(text)) {
        if (c == '|') one_line += '\\';
        one_line += c;
    }
    std::string fence = "`";
    while (one_line.find(fence) != std::string::npos) fence += '`';
    const char* blank = fence.size() > 1 || one_line.starts_with('`') || one_line.ends_with('`') ? " " : "";
    return base::format("{}{}{}{}{}", fence, blank, one_line, blank, fence);
}

std::string diff_block(const FindingOutcome& outcome) {
    std::string fence = "```";
    const std::string both = outcome.old_text + outcome.new_text;
    while (both.find(fence) != std::string::npos) fence += '`';
    std::string out = base::format("\n  {}diff\n", fence);
    auto add = [&](char mark, std::string_view text) {
        while (true) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            out += base::format("  {}{}\n", mark, base::printable_lines(text.substr(0, end)));
            if (end == text.size()) return;
            text.remove_prefix(end + 1);
        }
    };
    add('-', outcome.old_text);
    add('+', outcome.new_text);
    return out + "  " + fence + "\n";
}

std::string titled(const base::Language& say, std::string_view title) {
    return base::format("\n## {}\n\n", say.text(title));
}

std::string kinds(const Report& report) {
    const base::Language& say = report.language;
    std::string out = titled(say, "By kind") + say.text("| kind | findings | errors | warnings | to review |") +
                      "\n|---|--:|--:|--:|--:|\n";
    for (const KindRow& row : report.summary.by_kind)
        out += base::format("| {} | {} | {} | {} | {} |\n", say.text(title(row.kind)), row.findings, row.errors,
                            row.warnings, row.to_review);
    return report.summary.by_kind.empty() ? "" : out;
}

std::string actions(const Report& report, std::size_t most) {
    const base::Language& say = report.language;
    std::string out = titled(say, "To do by hand");
    for (std::size_t i = 0; i < std::min(most, report.actions.size()); ++i) {
        const ActionRow& row = report.actions[i];
        out += base::format("- **{}** {}{} {} ({})\n", say.text(name(row.severity)), plain(say.said(row.message)),
                            say.text(row.unverified ? kUnverifiedNote : ""), code(row.place),
                            say.plural(row.findings, "place"));
    }
    if (report.actions.size() > most) out += say.format("- and {} more\n", report.actions.size() - most);
    return report.actions.empty() ? "" : out;
}

std::string packages(const Report& report) {
    const base::Language& say = report.language;
    std::string out =
        titled(say, "Third-party packages") + say.text("| package | on Ascend | what to do |") + "\n|---|---|---|\n";
    for (const ThirdPartyRow& row : report.third_party)
        out += base::format("| {} | {} | {} |\n", code(row.package), plain(say.text(row.status)),
                            plain(say.said(row.advice)));
    return report.third_party.empty() ? "" : out;
}

std::string unknown_packages(const Report& report) {
    constexpr std::size_t kShownPlaces = 3;
    const base::Language& say = report.language;
    std::string out = titled(say, "Packages that no rule knows: look for CUDA in them") +
                      say.text("| package | in the project | where |") + "\n|---|---|---|\n";
    for (const UnknownPackageRow& row : report.unknown_packages) {
        const std::size_t shown = std::min(row.places.size(), kShownPlaces);
        std::string places;
        for (std::size_t i = 0; i < shown; ++i) places += (i == 0 ? "" : ", ") + code(row.places[i]);
        if (shown < row.places.size())
            places += say.format(" and {}", say.plural(row.places.size() - shown, "more place", "more places"));
        out += base::format("| {} | {} | {} |\n", code(row.package),
                            say.text(row.is_imported ? "imported" : "asked for"), places);
    }
    return report.unknown_packages.empty() ? "" : out;
}

std::string operators(const Report& report) {
    const base::Language& say = report.language;
    std::string out = titled(say, "Custom operators") +
                      say.text("| operator | computes | kernels | calls | use instead |") + "\n|---|---|---|---|---|\n";
    for (const OperatorRow& row : report.operators) {
        std::string kernels, calls;
        for (const NamedPlace& kernel : row.kernels) kernels += (kernels.empty() ? "" : ", ") + code(kernel.place);
        for (const std::string& call : row.calls) calls += (calls.empty() ? "" : ", ") + code(call);
        out += base::format(
            "| {} {} | {} | {} | {} | {} |\n", code(row.name), code(row.bindings.front().place),
            plain(say.said(row.what)), kernels, calls,
            row.replacement.empty() ? base::format("({})", say.text(name(row.effort))) : code(row.replacement));
    }
    return report.operators.empty() ? "" : out;
}

std::string findings(const Report& report) {
    const base::Language& say = report.language;
    std::string out = "\n## " + say.text("Findings") + "\n";
    for (const ReportFile& file : report.files) {
        if (file.findings.empty()) continue;
        out += base::format("\n### {}\n\n", code(file.path));
        for (const ReportFinding& item : file.findings) {
            const Finding& finding = item.outcome.finding;
            out +=
                base::format("- {}: **{}** {} {} ({}, {})\n", item.outcome.begin.line, say.text(name(finding.severity)),
                             code(finding.subject), plain(say.said(finding.message.text())), code(finding.rule),
                             say.text(title(item.outcome.state)));
            if (!item.outcome.new_text.empty()) out += diff_block(item.outcome);
        }
    }
    return out;
}

std::string heading(const Report& report) {
    const base::Language& say = report.language;
    std::string paths;
    for (const std::string& path : report.run.paths) paths += (paths.empty() ? "" : " ") + code(path);
    return say.format("# Migration report: {}\n\n{}\n", paths, plain(say.said(report.summary.sentence.text())));
}

}  // namespace

std::string report_step_summary(const Report& report) {
    constexpr std::size_t kActionsShown = 20;
    return heading(report) + kinds(report) + actions(report, kActionsShown);
}

std::string report_markdown(const Report& report) {
    return heading(report) + kinds(report) + actions(report, report.actions.size()) + packages(report) +
           unknown_packages(report) + operators(report) + findings(report);
}

}  // namespace migrator
