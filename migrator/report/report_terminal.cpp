#include <algorithm>

#include "base/console.h"
#include "base/format.h"
#include "base/human.h"
#include "base/printable.h"
#include "base/shell_word.h"
#include "base/wrapped_text.h"
#include "migrator/report/report.h"
#include "migrator/report/titles.h"

namespace migrator {
namespace {

using base::Language;
using base::Style;
using base::styled;
using base::with_separators;
using base::wrapped;

constexpr std::size_t kShownRows = 5;  // of actions and of notes, unless verbose
constexpr std::size_t kShownSubjects = 4;
constexpr std::size_t kTextColumns = 100;  // readable, and fits the usual terminal

Style style_of(Severity severity) {
    return severity == Severity::error ? Style::red : severity == Severity::warning ? Style::yellow : Style::dim;
}

std::string heading(const Report& report, const RunTrace& trace, bool colour) {
    const Language& say = report.language;
    const RunInfo& run = report.run;
    std::string what =
        run.output.empty() ? say.format("analysed {}", base::shell_paths(run.paths))
        : run.in_place     ? say.format("migrated {} in place", base::shell_paths(run.paths))
                       : say.format("migrated {} to {}", base::shell_paths(run.paths), base::shell_path(run.output));
    return styled("migrator " + run.tool_version, Style::bold, colour) +
           say.format(": {} in {}\n\n", what, base::human_duration(trace.seconds));
}

std::string files_line(const Language& say, const ReportSummary& summary, bool analyse) {
    std::string out =
        say.format("  {}, {} analysed ({}), {} {}", say.plural(summary.files_seen, "file"),
                   with_separators(summary.files_analysed), say.plural(summary.lines, "line"),
                   with_separators(summary.files_changed), say.text(analyse ? "would change" : "changed"));
    if (summary.files_with_problems > 0)
        out += say.format(", {} with problems", with_separators(summary.files_with_problems));
    return out + "\n\n";
}

std::string table_row(std::string_view label, const KindRow& row, bool analyse) {
    return base::format("  {:<24}{:>9}{:>9}{:>9}{:>9}{:>12}{:>11}\n", label, with_separators(row.findings),
                        with_separators(row.errors), with_separators(row.warnings), with_separators(row.infos),
                        with_separators(analyse ? row.available : row.applied), with_separators(row.to_review));
}

std::string table(const Language& say, const ReportSummary& summary, bool analyse, bool colour) {
    if (summary.by_kind.empty()) return "";
    std::string head = say.format("  {:<24}{:>9}{:>9}{:>9}{:>9}{:>12}{:>11}", "", say.text("findings"),
                                  say.text("error"), say.text("warning"), say.text("info"),
                                  say.text(analyse ? "can rewrite" : "rewritten"), say.text("to review"));
    std::string out = styled(head, Style::dim, colour) + "\n";
    KindRow total;
    for (const KindRow& row : summary.by_kind) {
        out += table_row(say.text(title(row.kind)), row, analyse);
        total.findings += row.findings;
        total.errors += row.errors;
        total.warnings += row.warnings;
        total.infos += row.infos;
        total.applied += row.applied;
        total.available += row.available;
        total.to_review += row.to_review;
    }
    if (summary.by_kind.size() > 1) out += table_row(say.text("total"), total, analyse);
    return out + "\n";
}

std::string verdict_line(const Language& say, const ReportSummary& summary, bool colour) {
    Style style = summary.verdict == Verdict::blocked                                        ? Style::red
                  : summary.verdict == Verdict::review || summary.verdict == Verdict::partly ? Style::yellow
                                                                                             : Style::green;
    return "  " + styled(wrapped(base::printable(say.said(summary.sentence.text())), 2, kTextColumns), style, colour) +
           "\n\n";
}

std::string more(const Language& say, std::size_t total, std::size_t shown, std::string_view indent) {
    return total > shown ? say.format("{}... and {} more in the report\n", indent, with_separators(total - shown)) : "";
}

// The subjects that the message does not name.
std::string also_of(const std::vector<std::string>& subjects) {
    std::string out;
    std::size_t shown = std::min(kShownSubjects + 1, subjects.size());
    for (std::size_t i = 1; i < shown; ++i) out += (i == 1 ? "" : ", ") + base::printable(subjects[i]);
    return out + (subjects.size() > shown ? ", ..." : "");
}

std::size_t shown_of(std::size_t rows, TerminalStyle style) {
    return style.verbose ? rows : std::min(kShownRows, rows);
}

std::string actions(const Report& report, TerminalStyle style) {
    const Language& say = report.language;
    if (report.actions.empty()) return "";
    bool colour = style.colour;
    std::size_t shown = shown_of(report.actions.size(), style);
    const bool is_native = report.summary.verdict == Verdict::native;
    const std::string title = say.text(is_native ? "What else was found" : "What a person must do first");
    std::string out = "  " + styled(title, Style::bold, colour) + "\n";
    for (std::size_t i = 0; i < shown; ++i) {
        const ActionRow& row = report.actions[i];
        std::string places = base::printable(row.place);
        if (row.findings > 1)
            places += say.format(" and {}", say.plural(row.findings - 1, "more place", "more places"));
        const std::string severity = say.text(name(row.severity));
        out += "    " + styled(severity, style_of(row.severity), colour) +
               std::string(9 - base::columns_of(severity), ' ');
        const std::string message =
            base::printable(say.said(row.message)) + say.text(row.unverified ? kUnverifiedNote : "");
        out += wrapped(message, 13, kTextColumns) + "\n";
        out += std::string(13, ' ') +
               styled(base::format("{}  [{}]", places, base::printable(row.rule)), Style::dim, colour) + "\n";
        if (row.subjects.size() > 1) {
            out += std::string(13, ' ') +
                   styled(wrapped(say.format("also {}", also_of(row.subjects)), 13, kTextColumns), Style::dim, colour) +
                   "\n";
        }
    }
    return out + more(say, report.actions.size(), shown, "    ") + "\n";
}

std::string effort_line(const Language& say, const ReportSummary& summary) {
    auto files = [&](Readiness readiness) {
        const auto found = summary.by_readiness.find(readiness);
        return found == summary.by_readiness.end() ? 0 : found->second;
    };
    // What nobody has to do takes no time.
    if (summary.by_effort.empty() || summary.verdict == Verdict::native) return "";
    return say.format("  {} ready, {} need minor edits, {} blocked by code or packages to replace or port\n\n",
                      say.plural(files(Readiness::ready), "file"), with_separators(files(Readiness::small_work)),
                      with_separators(files(Readiness::blocked)));
}

std::string transfer_text(const Language& say, const TransferRow& row) {
    switch (row.verdict) {
        case TransferVerdict::nothing_to_do: break;
        case TransferVerdict::enough: return say.format("yes; it redirects {}", say.plural(row.redirected, "place"));
        case TransferVerdict::with_edits:
            return say.format("with {}; it redirects {}", say.plural(row.edited, "edit"),
                              say.plural(row.redirected, "place"));
        case TransferVerdict::not_enough: {
            const TransferPlace& first = row.places.front();
            return say.format("no; {} left, the first is {} at {}:{}", say.plural(row.left, "place is", "places are"),
                              base::printable(first.subject), base::printable(first.path), first.line);
        }
    }
    return say.text("nothing to do");
}

std::string program_text(const Language& say, const ProgramOutcome& row) {
    switch (row.verdict) {
        case ProgramVerdict::runs: return say.text("runs as it is");
        case ProgramVerdict::runs_with: return say.text("runs, on request");
        case ProgramVerdict::edit: return say.format("runs with {}", say.plural(row.edits, "edit"));
        case ProgramVerdict::open: return say.text("has places to look at");
        case ProgramVerdict::cuda_only: return say.text("is for CUDA");
        case ProgramVerdict::obsolete: return say.text("is made for an older NPU stack");
        case ProgramVerdict::blocked:
            return say.format("blocked by {} in what it always runs", say.plural(row.places.size(), "place"));
    }
    return "";
}

// Where programs take an NPU by themselves: what is said of each that people start.
std::string programs(const Report& report, TerminalStyle style) {
    const Language& say = report.language;
    const bool is_by_program = report.summary.verdict == Verdict::native || report.summary.verdict == Verdict::partly;
    std::vector<const ProgramOutcome*> rows;
    for (const ProgramOutcome& row : report.programs) {
        if (row.uses_framework && row.rank < kRankLeftOut) rows.push_back(&row);
    }
    if (!is_by_program || rows.empty()) return "";
    const std::size_t shown = shown_of(rows.size(), style);
    std::string out = "  " + styled(say.text("Programs"), Style::bold, style.colour) + "\n";
    for (std::size_t i = 0; i < shown; ++i) {
        const ProgramOutcome& row = *rows[i];
        out += "    " + wrapped(base::printable(row.name()) + ": " + program_text(say, row), 6, kTextColumns) + "\n";
    }
    return out + more(say, rows.size(), shown, "    ") + "\n";
}

// Whether the program could run without edits, for those that have something to do.
std::string transfers(const Report& report, TerminalStyle style) {
    const Language& say = report.language;
    std::vector<const TransferRow*> rows;
    for (const ProgramOutcome& row : report.programs) {
        const bool has_choice = !row.chooses_at.empty() && row.is_running();
        if (row.transfer.verdict != TransferVerdict::nothing_to_do && !has_choice) rows.push_back(&row.transfer);
    }
    if (rows.empty()) return "";
    const std::size_t shown = shown_of(rows.size(), style);
    std::string out =
        "  " + styled(say.text("Would --style auto (transfer_to_npu) be enough?"), Style::bold, style.colour) + "\n";
    for (std::size_t i = 0; i < shown; ++i) {
        out += "    " + wrapped(base::printable(rows[i]->path) + ": " + transfer_text(say, *rows[i]), 6, kTextColumns) +
               "\n";
    }
    return out + more(say, rows.size(), shown, "    ") + "\n";
}

// Of each package, where it is imported or asked for.
std::string unknown_packages(const Report& report, TerminalStyle style) {
    const Language& say = report.language;
    if (report.unknown_packages.empty()) return "";
    const std::size_t shown = shown_of(report.unknown_packages.size(), style);
    std::string out =
        "  " + styled(say.text("Packages that no rule knows: look for CUDA in them"), Style::bold, style.colour) + "\n";
    for (std::size_t i = 0; i < shown; ++i) {
        const UnknownPackageRow& row = report.unknown_packages[i];
        std::string places = base::printable(row.places.front());
        if (row.places.size() > 1)
            places += say.format(" and {}", say.plural(row.places.size() - 1, "more place", "more places"));
        const std::string package = base::printable(row.package);
        out += "    " +
               wrapped(row.is_imported ? say.format("{}: imported, {}", package, places)
                                       : say.format("{}: asked for, {}", package, places),
                       6, kTextColumns) +
               "\n";
    }
    return out + more(say, report.unknown_packages.size(), shown, "    ") + "\n";
}

// Each operator in a line: what it is, and what stands for it.
std::string operators(const Report& report, TerminalStyle style) {
    const Language& say = report.language;
    if (report.operators.empty()) return "";
    const std::size_t shown = shown_of(report.operators.size(), style);
    std::string out = "  " + styled(say.text("Custom operators"), Style::bold, style.colour) + "\n";
    for (std::size_t i = 0; i < shown; ++i) {
        const OperatorRow& row = report.operators[i];
        const std::string use = row.replacement.empty() ? say.format("to {}", say.text(name(row.effort)))
                                                        : say.format("use {}", row.replacement);
        const std::string calls = row.calls.empty() ? say.text("never called") : say.plural(row.calls.size(), "call");
        out += "    " +
               wrapped(base::printable(base::format("{} ({}{}, {}): {}", row.name, say.said(row.what),
                                                    row.what.empty() ? row.bindings.front().place : "", calls, use)),
                       6, kTextColumns) +
               "\n";
    }
    return out + more(say, report.operators.size(), shown, "    ") + "\n";
}

std::string notes(const Report& report, TerminalStyle style) {
    const Language& say = report.language;
    if (report.notes.empty()) return "";
    std::size_t shown = shown_of(report.notes.size(), style);
    std::string out = "  " + styled(say.text("Notes"), Style::bold, style.colour) + "\n";
    for (std::size_t i = 0; i < shown; ++i) {
        out += "    " + wrapped(base::printable(say.said(report.notes[i].text())), 4, kTextColumns) + "\n";
    }
    return out + more(say, report.notes.size(), shown, "    ") + "\n";
}

std::string files(const Report& report, TerminalStyle style) {
    const Language& say = report.language;
    if (!style.verbose || report.files.empty()) return "";
    std::string out = "  " + styled(say.text("Files"), Style::bold, style.colour) + "\n";
    for (const ReportFile& file : report.files) {
        out += base::format("    {}: {}{}\n", base::printable(file.path), say.plural(file.findings.size(), "finding"),
                            say.text(file.changed ? report.run.output.empty() ? ", would change" : ", changed" : ""));
    }
    return out + "\n";
}

std::string next_step(const Report& report, const RunTrace& trace) {
    const Language& say = report.language;
    const ReportSummary& summary = report.summary;
    bool analyse = report.run.output.empty();
    std::string paths = base::shell_paths(report.run.paths);
    bool one = report.run.paths.size() == 1;
    if (summary.verdict == Verdict::native)
        return say.text("run the programs as said above, on a machine with torch_npu");
    if (analyse && summary.available > 0) return say.format("migrator migrate {} -o OUT", one ? paths : "PATH");
    if (analyse && trace.written.empty() && summary.findings > 0) {
        return say.format("migrator analyze {} --report DIR   write every finding to a page to work through", paths);
    }
    if (summary.available > faster_forms(report.files))
        return say.text("run again without `--apply none` to apply the fixes");
    if (summary.to_review > 0 && trace.written.empty())
        return say.format("migrator analyze {} --report DIR   write what is left to a page to work through", paths);
    if (summary.to_review > 0) return say.text("open the report and work through what is left to review");
    if (analyse) return say.text("nothing");
    return say.format("run the training script of {} on a machine with torch_npu", base::shell_path(report.run.output));
}

}  // namespace

std::string report_terminal(const Report& report, const RunTrace& trace, TerminalStyle style) {
    const Language& say = report.language;
    bool analyse = report.run.output.empty();
    std::string out =
        heading(report, trace, style.colour) + files_line(say, report.summary, analyse) + files(report, style);
    out += table(say, report.summary, analyse, style.colour) + verdict_line(say, report.summary, style.colour);
    out += effort_line(say, report.summary) + actions(report, style) + operators(report, style) +
           unknown_packages(report, style) + programs(report, style) + transfers(report, style) + notes(report, style);
    std::string label = say.text("Report  ");
    for (const std::string& path : trace.written) {
        out += "  " + styled(label, Style::bold, style.colour) + base::printable(path) + "\n";
        label = "        ";
    }
    if (!trace.record.empty())
        out += "  " + styled(say.text("Undo    "), Style::bold, style.colour) + "migrator undo " +
               base::shell_path(trace.record) + "\n";
    return out + "  " + styled(say.text("Next    "), Style::bold, style.colour) + next_step(report, trace) + "\n";
}

}  // namespace migrator
