#include "migrator/match/variables.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

// The value that says the same to the new variable; nullptr: it is not known.
const std::string* translated(const EnvironmentRow& row, const VariableUse& use) {
    if (!use.value || !use.value->written) return nullptr;
    const auto found = row.values.find(use.value->text);
    return found == row.values.end() ? nullptr : &found->second;
}

void match_replaced(const RuleSet& rules, const EnvironmentRow& row, const VariableUse& use, FindingSink& sink) {
    Finding finding =
        make_finding(*row.rule, use.place, use.name, use.certainty, row.to.value_or(""), row.note, row.source);
    finding.effort = row.effort;
    const VariableValues* accepted = row.to ? rules.values_of(*row.to) : nullptr;
    const auto problem =
        accepted != nullptr && row.same_values && use.value ? accepted->problem_of(use.value->text) : std::nullopt;
    if (problem) finding.message.add({"{problem} Set it by hand.", {{"problem", *problem}}});
    if (use.written && row.same_values && !problem) finding.fix = Fix{{{*use.written, *row.to}}, row.rule->imports};
    if (const std::string* value = translated(row, use); use.written && value != nullptr)
        finding.fix = Fix{{{*use.written, *row.to}, {*use.value->written, *value}}, row.rule->imports};
    sink.push_back(std::move(finding));
}

// nullptr: the finding gives no variable another name.
const EnvironmentRow* renamed_by(const RuleSet& rules, const Finding& finding) {
    if (!finding.fix || finding.kind != FindingKind::environment) return nullptr;
    const EnvironmentRow* row = rules.environment.find(finding.subject);
    return row != nullptr && row->to && row->rule->id == finding.rule ? row : nullptr;
}

}  // namespace

void match_variable(const RuleSet& rules, const VariableUse& use, FindingSink& sink) {
    if (const EnvironmentRow* row = rules.environment.find(use.name)) return match_replaced(rules, *row, use, sink);
    if (!use.value) return;
    const VariableValues* accepted = rules.values_of(use.name);
    const auto problem = accepted != nullptr ? accepted->problem_of(use.value->text) : std::nullopt;
    if (problem) {
        sink.push_back(make_finding(*accepted->rule, use.place, use.name, use.certainty, {}, *problem, {}));
    } else if (const ValueRemark* remark = rules.remark_on(use.name, use.value->text)) {
        Finding finding =
            make_finding(*remark->rule, use.place, use.name, use.certainty, {}, remark->note, remark->source);
        finding.effort = remark->effort;
        sink.push_back(std::move(finding));
    }
}

void match_values_together(const RuleSet& rules, const std::vector<VariableUse>& uses, FindingSink& sink) {
    std::vector<base::SetVariable> set;
    for (const VariableUse& use : uses) set.push_back({use.name, use.value->text});
    const auto find = [&](std::string_view name) { return rules.values_of(name); };
    for (base::VariableClash& clash : base::clashes_of(set, find)) {
        const VariableUse& use = uses[clash.at];
        Finding finding =
            make_finding(*rules.values_of(use.name)->rule, use.place, use.name, use.certainty, {}, {}, {});
        finding.message = std::move(clash.why);
        sink.push_back(std::move(finding));
    }
}

void keep_names_single(const RuleSet& rules, const std::function<bool(std::string_view)>& is_named,
                       FindingSink& findings) {
    std::map<std::string_view, bool> named;  // new names
    for (Finding& finding : findings) {
        const EnvironmentRow* row = renamed_by(rules, finding);
        if (row == nullptr) continue;
        const auto [known, is_first] = named.try_emplace(*row->to);
        if (is_first) known->second = is_named(*row->to);
        if (!known->second) continue;
        finding.fix.reset();
        finding.message.add({"Not rewritten: {other} is in this file too. Keep one.", {{"other", *row->to}}});
    }
}

void keep_variables_apart(const RuleSet& rules, FindingSink& findings) {
    for (Finding& finding : findings) {
        const EnvironmentRow* row = renamed_by(rules, finding);
        if (row == nullptr) continue;
        const auto beside = std::find_if(findings.begin(), findings.end(), [&](const Finding& other) {
            return base::contains(row->apart, other.subject);
        });
        if (beside == findings.end()) continue;
        finding.fix.reset();
        finding.message.add(
            {"Not rewritten: {other} is in this file too, and both together stop the program. Keep one.",
             {{"other", beside->subject}}});
    }
}

}  // namespace migrator
