#include <algorithm>
#include <unordered_map>

#include "base/csv.h"
#include "base/format.h"
#include "base/text.h"
#include "migrator/report/formats.h"

namespace migrator {
namespace {

using Row = std::vector<std::string>;

std::string lines_of(const base::TextPosition& position) { return std::to_string(position.line); }

// One of the files of the older tool.
class Table {
public:
    Table(std::string path, const Row& head) : file_{"transplant/" + std::move(path), base::csv_line(head)} {}
    void add(const Row& row) { file_.text += base::csv_line(row); }
    NamedText take() { return std::move(file_); }

private:
    NamedText file_;
};

using ItemsById = std::unordered_map<std::string_view, const ReportFinding*>;

ItemsById items_by_id(const ReportFile& file) {
    ItemsById out;
    for (const ReportFinding& item : file.findings) out.emplace(item.id, &item);
    return out;
}

bool is_made(const ItemsById& items, const ReportEdit& edit) {
    return std::any_of(edit.findings.begin(), edit.findings.end(), [&](const std::string& id) {
        const auto found = items.find(id);
        return found != items.end() && found->second->outcome.state == FixState::applied;
    });
}

NamedText change_list(const Report& report) {
    Table table("change_list.csv", {"File", "Start Line", "End Line", "Operation Type", "Message"});
    for (const ReportFile& file : report.files) {
        const ItemsById items = items_by_id(file);
        for (const ReportEdit& edit : file.edits) {
            if (!is_made(items, edit)) continue;
            const auto first = items.find(edit.findings.front());
            const char* operation = edit.old_text.empty() ? "INSERT" : edit.new_text.empty() ? "DELETE" : "MODIFY";
            table.add({file.path, lines_of(edit.begin), lines_of(edit.end), operation,
                       first == items.end() ? "" : first->second->outcome.finding.message.text()});
        }
    }
    return table.take();
}

// Findings of a kind that are left open.
template <class RowOf>
NamedText open_findings(const Report& report, std::string name, const Row& head, std::vector<FindingKind> kinds,
                        RowOf row_of) {
    Table table(std::move(name), head);
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) {
            const FindingOutcome& outcome = item.outcome;
            const bool is_asked = base::contains(kinds, outcome.finding.kind);
            if (is_asked && outcome.state != FixState::applied) table.add(row_of(file, outcome));
        }
    }
    return table.take();
}

Row place_row(const ReportFile& file, const FindingOutcome& outcome) {
    return {file.path, lines_of(outcome.begin), lines_of(outcome.end), outcome.finding.subject,
            outcome.finding.message.text()};
}

}  // namespace

std::string report_csv(const Report& report) {
    std::string out = base::csv_line({"id", "path", "line", "column", "severity", "kind", "rule", "certainty", "state",
                                      "subject", "message", "source", "old_text", "new_text"});
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) {
            const Finding& finding = item.outcome.finding;
            out += base::csv_line({item.id, file.path, lines_of(item.outcome.begin),
                                   std::to_string(item.outcome.begin.column), std::string(name(finding.severity)),
                                   std::string(name(finding.kind)), finding.rule, std::string(name(finding.certainty)),
                                   std::string(name(item.outcome.state)), finding.subject, finding.message.text(),
                                   finding.source, item.outcome.old_text, item.outcome.new_text});
        }
    }
    return out;
}

std::vector<NamedText> report_transplant_csv(const Report& report) {
    const Row places{"File", "Start Line", "End Line", "OP", "Tips"};
    auto of_kinds = [&](const char* name, std::vector<FindingKind> kinds) {
        return open_findings(report, name, places, std::move(kinds), place_row);
    };
    return {
        change_list(report),
        of_kinds("unsupported_api.csv", {FindingKind::api_support, FindingKind::cuda_api}),
        of_kinds("unknown_api.csv", {}),
        of_kinds("api_precision_advice.csv", {}),
        of_kinds("api_performance_advice.csv", {FindingKind::advice}),
        open_findings(report, "cuda_op_list.csv", {"File", "Api"}, {FindingKind::cuda_extension},
                      [](const ReportFile& file, const FindingOutcome& outcome) {
                          return Row{file.path, outcome.finding.subject};
                      }),
        open_findings(report, "affinity_api_call.csv",
                      {"File", "Start Line", "End Line", "Api Type", "Api Call Name", "Affinity Api Name"},
                      {FindingKind::affinity},
                      [](const ReportFile& file, const FindingOutcome& outcome) {
                          return Row{file.path,  lines_of(outcome.begin), lines_of(outcome.end),
                                     "function", outcome.finding.subject, outcome.finding.message.text()};
                      }),
        open_findings(report, "full_unsupported_results.csv", {"File", "3rd-party API", "Message"},
                      {FindingKind::third_party},
                      [](const ReportFile& file, const FindingOutcome& outcome) {
                          return Row{file.path, outcome.finding.subject, outcome.finding.message.text()};
                      }),
    };
}

}  // namespace migrator
