#include "migrator/app/rule_rows.h"

#include <map>
#include <string_view>

namespace migrator {
namespace {

constexpr std::size_t kMaxNames = 8;  // of one rule

}  // namespace

std::vector<RuleRow> rule_rows(const RuleSet& rules, const Report& report) {
    std::map<std::string, RuleRow> used;
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) {
            const std::string& id = item.outcome.finding.rule;
            const Rule* rule = used.contains(id) ? nullptr : rules.find_rule(id);
            if (rule == nullptr) continue;
            used[id] = {
                id, rule->kind, rule->severity, rule->certainty, rule->effort, general_message(*rule), rule->source,
                0,  {}};
        }
    }
    for (const auto& [from, row] : rules.name_rows()) {
        const auto found = used.find(row.rule->id);
        if (found == used.end()) continue;
        RuleRow& rule = found->second;
        if (rule.name_count++ < kMaxNames) rule.names.push_back({from, row.to.value_or("")});
    }
    std::vector<RuleRow> out;
    for (auto& [id, row] : used) out.push_back(std::move(row));
    return out;
}

}  // namespace migrator
