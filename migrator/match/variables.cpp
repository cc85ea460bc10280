#include "migrator/match/variables.h"

#include "base/format.h"

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
    const VariableValues* accepted = row.to ? rules.variable_values(*row.to) : nullptr;
    const auto problem =
        accepted != nullptr && row.same_values && use.value ? accepted->problem_of(use.value->text) : std::nullopt;
    if (problem) finding.message.add({"{problem} Set it by hand.", {{"problem", *problem}}});
    if (use.written && row.same_values && !problem) finding.fix = Fix{{{*use.written, *row.to}}, row.rule->imports};
    if (const std::string* value = translated(row, use); use.written && value != nullptr)
        finding.fix = Fix{{{*use.written, *row.to}, {*use.value->written, *value}}, row.rule->imports};
    sink.push_back(std::move(finding));
}

}  // namespace

void match_variable(const RuleSet& rules, const VariableUse& use, FindingSink& sink) {
    if (const EnvironmentRow* row = rules.environment_row(use.name)) return match_replaced(rules, *row, use, sink);
    const VariableValues* accepted = use.value ? rules.variable_values(use.name) : nullptr;
    if (accepted == nullptr) return;
    if (const auto problem = accepted->problem_of(use.value->text))
        sink.push_back(make_finding(*accepted->rule, use.place, use.name, use.certainty, {}, *problem, {}));
}

}  // namespace migrator
