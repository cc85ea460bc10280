#include "migrator/report/report.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "base/format.h"
#include "base/human.h"
#include "base/sha256.h"
#include "base/text.h"
#include "migrator/report/finding_id.h"
#include "migrator/report/report_edits.h"
#include "migrator/report/titles.h"
#include "migrator/source/test_code.h"

namespace migrator {
namespace {

constexpr std::size_t kMaxSubjects = 20;      // kept of one action
constexpr std::uint32_t kMaxLinesShown = 12;  // of one finding
constexpr std::uint64_t kMaxBytesShown = 4096;

bool has_something_to_say(const ReportFile& file) {
    return !file.findings.empty() || file.changed || (file.type == FileType::python && !file.parsed);
}

bool has_problem(const ReportFile& file) {
    if (file.type == FileType::python && !file.parsed) return true;
    return std::any_of(file.findings.begin(), file.findings.end(), [](const ReportFinding& item) {
        const Finding& finding = item.outcome.finding;
        return finding.kind == FindingKind::file && finding.severity != Severity::info;
    });
}

// `has_edits`: what only follows the edit of another finding is settled with it, and counted with none.
void count(const FindingOutcome& outcome, bool has_edits, ReportSummary& summary, KindRow& row) {
    Severity severity = outcome.finding.severity;
    bool review = needs_review(outcome);
    bool applied = has_edits && outcome.state == FixState::applied;
    bool available = has_edits && outcome.state == FixState::available;

    ++row.findings;
    row.errors += severity == Severity::error;
    row.warnings += severity == Severity::warning;
    row.infos += severity == Severity::info;
    row.applied += applied;
    row.available += available;
    row.to_review += review;

    ++summary.findings;
    ++summary.by_severity[std::string(name(severity))];
    ++summary.by_state[std::string(name(outcome.state))];
    summary.applied += applied;
    summary.available += available;
    summary.to_review += review;
    if (const Effort effort = open_effort(outcome); effort != Effort::none) ++summary.by_effort[effort];
    summary.blocking += review && severity == Severity::error;
}

Verdict verdict_of(const ReportSummary& summary) {
    if (summary.files_analysed == 0 && summary.findings == 0) return Verdict::review;
    if (summary.findings == 0) return Verdict::nothing_found;
    if (summary.blocking > 0) return Verdict::blocked;
    if (summary.to_review > 0) return Verdict::review;
    return summary.available > 0 ? Verdict::convertible : Verdict::ready;
}

std::string sentence_of(const ReportSummary& summary) {
    if (summary.files_analysed == 0 && summary.findings == 0)
        return "No file was analysed, so nothing is known of the project.";
    std::uint64_t looks = summary.to_review - summary.blocking;
    auto with_verb = [](std::uint64_t number, std::string_view one, std::string_view many) {
        return base::format("{} {}", base::plural(number, "finding"), number == 1 ? one : many);
    };
    std::string left;
    if (summary.blocking > 0) {
        left = with_verb(summary.blocking, "blocks", "block") + " the first run on Ascend NPU";
    }
    if (looks > 0) {
        left += left.empty() ? with_verb(looks, "needs", "need") + " a look before the first run"
                             : base::format(", and {} more {} a look", base::with_separators(looks),
                                            looks == 1 ? "needs" : "need");
    }
    switch (summary.verdict) {
        case Verdict::nothing_found: return "Nothing that depends on CUDA was found.";
        case Verdict::ready:
            return "Nothing is left to do by hand: the project is ready for its first run on Ascend NPU.";
        case Verdict::convertible:
            return with_verb(summary.available, "can", "can") +
                   " be rewritten automatically; nothing else is left to do.";
        case Verdict::native:
        case Verdict::partly:
        case Verdict::review:
        case Verdict::blocked: break;
    }
    if (summary.available > 0) {
        left += base::format("; {} can be rewritten automatically", base::with_separators(summary.available));
    }
    return left + ".";
}

// Ids of findings; a new file is an edit of those that want it, in whatever file they are.
std::set<std::string_view> findings_with_edits(const std::vector<ReportFile>& files) {
    std::set<std::string_view> out;
    for (const ReportFile& file : files) {
        for (const ReportEdit& edit : file.edits) out.insert(edit.findings.begin(), edit.findings.end());
    }
    return out;
}

ReportSummary summarise(const std::vector<ReportFile>& files, std::uint64_t files_seen) {
    ReportSummary summary;
    summary.files_seen = files_seen;
    summary.files_analysed = files.size();
    for (Severity severity : kAllSeverities) summary.by_severity[std::string(name(severity))] = 0;
    for (FixState state : kAllStates) summary.by_state[std::string(name(state))] = 0;
    std::map<FindingKind, KindRow> kinds;
    const std::set<std::string_view> with_edits = findings_with_edits(files);
    for (const ReportFile& file : files) {
        summary.files_changed += file.changed;
        summary.files_with_problems += has_problem(file);
        summary.lines += file.lines;
        ++summary.by_readiness[file.readiness];
        for (const ReportFinding& item : file.findings) {
            KindRow& row = kinds[item.outcome.finding.kind];
            row.kind = item.outcome.finding.kind;
            count(item.outcome, with_edits.contains(item.id), summary, row);
        }
    }
    for (const auto& [kind, row] : kinds) summary.by_kind.push_back(row);
    summary.verdict = verdict_of(summary);
    summary.sentence = sentence_of(summary);
    return summary;
}

std::vector<ThirdPartyRow> third_party_rows(const std::vector<ReportFile>& files,
                                            const std::map<std::string, std::string>& package_status) {
    std::map<std::string, ThirdPartyRow> rows;
    for (const ReportFile& file : files) {
        for (const ReportFinding& item : file.findings) {
            const Finding& finding = item.outcome.finding;
            if (finding.kind != FindingKind::third_party) continue;
            ThirdPartyRow& row = rows[finding.subject];
            if (row.places.empty()) {
                auto status = package_status.find(finding.subject);
                if (status == package_status.end()) status = package_status.find(finding.rule);
                row.package = finding.subject;
                row.status = status == package_status.end() ? "unknown" : status->second;
                row.advice = finding.message.text();
            }
            row.places.push_back(place_of(file.path, item.outcome));
            row.places.insert(row.places.end(), item.also.begin(), item.also.end());
            row.finding_ids.resize(row.places.size(), item.id);
        }
    }
    std::vector<ThirdPartyRow> sorted;
    for (auto& [package, row] : rows) sorted.push_back(std::move(row));
    return sorted;
}

void add_to_action(ActionRow& row, const ReportFile& file, const ReportFinding& item) {
    const Finding& finding = item.outcome.finding;
    if (row.findings == 0) {
        row.kind = finding.kind;
        row.rule = finding.rule;
        row.message = finding.message.text();
        row.place = place_of(file.path, item.outcome);
        row.finding_id = item.id;
        row.severity = finding.severity;
    }
    row.unverified |= is_unverified(finding.source);
    row.effort = std::max(row.effort, open_effort(item.outcome));
    row.severity = std::max(row.severity, finding.severity);
    row.findings += 1 + item.also.size();
    bool known = base::contains(row.subjects, finding.subject);
    if (!known && row.subjects.size() < kMaxSubjects) row.subjects.push_back(finding.subject);
}

std::vector<ActionRow> actions_of(const std::vector<ReportFile>& files) {
    std::map<std::pair<std::string, std::string>, std::size_t> index;  // (rule, package) -> position in `rows`
    std::vector<ActionRow> rows;
    std::vector<std::set<std::string_view>> files_of_row;
    for (const ReportFile& file : files) {
        for (const ReportFinding& item : file.findings) {
            if (!needs_review(item.outcome)) continue;
            const Finding& finding = item.outcome.finding;
            std::string package = finding.kind == FindingKind::third_party ? finding.subject : "";
            auto [at, is_new] = index.try_emplace({finding.rule, package}, rows.size());
            if (is_new) {
                rows.emplace_back();
                files_of_row.emplace_back();
            }
            ActionRow& row = rows[at->second];
            add_to_action(row, file, item);
            std::set<std::string_view>& in_files = files_of_row[at->second];
            in_files.insert(file.path);
            for (const std::string_view other : item.also) in_files.insert(other.substr(0, other.rfind(':')));
            row.files = in_files.size();
        }
    }
    // Stable: equal rows stay in the order of the files.
    std::stable_sort(rows.begin(), rows.end(), [](const ActionRow& a, const ActionRow& b) {
        return std::tuple(b.severity, a.unverified, b.effort, b.findings) <
               std::tuple(a.severity, b.unverified, a.effort, a.findings);
    });
    return rows;
}

// The lines of a finding that has no fix, for which `rewrite` shows none.
std::string lines_of(const base::LineIndex& lines, std::string_view text, const FindingOutcome& outcome) {
    std::uint32_t last = std::min(outcome.end.line, outcome.begin.line + kMaxLinesShown - 1);
    if (last < outcome.begin.line || last > lines.line_count()) return "";
    std::uint64_t begin = lines.line_range(outcome.begin.line).begin;
    const std::uint64_t end = lines.line_range(last).begin + lines.line_text(last).size();
    return end - begin > kMaxBytesShown ? "" : std::string(text.substr(begin, end - begin));
}

}  // namespace

std::string_view name(Reach reach) {
    switch (reach) {
        case Reach::hard: return "hard";
        case Reach::optional: return "optional";
        case Reach::none: return "none";
    }
    CHECK(false);
    return {};
}

bool needs_review(const FindingOutcome& outcome) {
    return outcome.finding.severity != Severity::info && outcome.state != FixState::applied &&
           outcome.state != FixState::available;
}

std::string place_of(const base::Path& file, const FindingOutcome& outcome) {
    return base::format("{}:{}", file, outcome.begin.line);
}

ReportFile make_report_file(FileOutcome outcome, std::string_view original, std::string_view written) {
    ReportFile file;
    file.path = outcome.path;
    file.type = outcome.type;
    file.lines = outcome.lines;
    file.parsed = outcome.parsed;
    file.is_test = is_test_code(file.path);
    file.changed = original != written;
    file.encoding = outcome.encoding.name;
    if (file.changed) {
        file.diff = unified_diff(original, written, outcome.path);
        if (original != outcome.original)
            file.text_diff = unified_diff(outcome.original, outcome.rewritten, outcome.path);
    }
    base::LineIndex lines(outcome.original);
    FindingIds ids(outcome.path);
    file.findings.reserve(outcome.findings.size());
    for (FindingOutcome& item : outcome.findings) {
        // A file that could not be decoded has findings, but no lines.
        bool has_line = item.begin.line <= lines.line_count();
        bool about_whole_file = item.finding.kind == FindingKind::file;
        if (item.old_text.empty() && !about_whole_file) item.old_text = lines_of(lines, outcome.original, item);
        std::string id =
            ids.next(item.finding.rule, item.finding.subject, has_line ? lines.line_text(item.begin.line) : "");
        file.readiness = std::max(file.readiness, readiness_of(open_effort(item)));
        file.findings.push_back({std::move(id), std::move(item), {}, {}, {}});
    }
    add_edits(outcome, lines, file);
    if (!file.edits.empty()) file.sha256 = base::sha256_hex(original);
    return file;
}

Report make_report(RunInfo run, std::vector<ReportFile> files, std::uint64_t files_seen,
                   const std::map<std::string, std::string>& package_status, std::vector<base::Message> notes) {
    std::sort(files.begin(), files.end(), [](const ReportFile& a, const ReportFile& b) { return a.path < b.path; });
    Report report;
    report.run = std::move(run);
    report.summary = summarise(files, files_seen);
    report.actions = actions_of(files);
    report.third_party = third_party_rows(files, package_status);
    std::erase_if(files, [](const ReportFile& file) { return !has_something_to_say(file); });
    report.files = std::move(files);
    report.notes = std::move(notes);
    return report;
}

bool is_open_finding(const ReportFinding& item, Severity at_least, const std::set<std::string>& known) {
    return item.outcome.state != FixState::applied && item.outcome.finding.severity >= at_least &&
           !known.contains(item.id);
}

void compare_with(const Baseline& baseline, Report& report) {
    BaselineRow row = baseline.row;
    row.gone = baseline.ids.size();
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) {
            if (baseline.ids.contains(item.id)) --row.gone;
            else ++row.fresh;
        }
    }
    report.baseline = row;
}

bool has_open_finding(const Report& report, Severity at_least, const std::set<std::string>& known) {
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) {
            if (is_open_finding(item, at_least, known)) return true;
        }
    }
    return false;
}

std::size_t faster_forms(const std::vector<ReportFile>& files) {
    std::size_t count = 0;
    for (const ReportFile& file : files) {
        for (const ReportFinding& item : file.findings)
            count += item.outcome.finding.kind == FindingKind::affinity && item.outcome.state == FixState::available;
    }
    return count;
}

void report_diff(const Report& report, const base::TextSink& out) {
    for (const ReportFile& file : report.files) out(file.diff);
}

}  // namespace migrator
