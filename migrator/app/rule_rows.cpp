#include "migrator/app/rule_rows.h"

#include <map>
#include <set>
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
    for (const auto& [from, row] : rules.names.all()) {
        const auto found = used.find(row.rule->id);
        if (found == used.end()) continue;
        RuleRow& rule = found->second;
        if (rule.name_count++ < kMaxNames) rule.names.push_back({from, row.to.value_or("")});
    }
    std::vector<RuleRow> out;
    for (auto& [id, row] : used) out.push_back(std::move(row));
    return out;
}

std::map<std::string, SourceEntry> source_rows(const RuleSet& rules, const Report& report) {
    std::set<std::string_view> texts;
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) texts.insert(item.outcome.finding.source);
    }
    for (const RuleRow& rule : report.rules) texts.insert(rule.source);
    std::map<std::string, SourceEntry> out;
    for (const std::string_view text : texts) out.merge(cited_sources(rules.sources, text));
    return out;
}

}  // namespace migrator
