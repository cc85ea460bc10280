#include "migrator/match/known_operators.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/python/python_file.h"

namespace migrator {
namespace {

bool has_name(const KnownOperatorRow& row, const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return std::any_of(row.names.begin(), row.names.end(),
                           [&](const std::string& pattern) { return fits(pattern, name); });
    });
}

bool has_parameter(const KnownOperatorRow& row, const CppSignature& signature) {
    return row.parameters.empty() || !signature.known ||
           std::any_of(signature.parameters.begin(), signature.parameters.end(),
                       [&](const CppParameter& each) { return base::contains(row.parameters, each.name); });
}

}  // namespace

const KnownOperatorRow* known_operator(const RuleSet& rules, const std::vector<std::string>& names,
                                       const CppSignature& signature) {
    for (const KnownOperatorRow& row : rules.known_operators) {
        if (has_name(row, names) && has_parameter(row, signature)) return &row;
    }
    return nullptr;
}

void become_known(const KnownOperatorRow& known, Finding& finding) {
    const Rule& rule = *known.rule;
    finding.rule = rule.id;
    finding.kind = rule.kind;
    finding.severity = rule.severity;
    finding.effort = known.effort;
    finding.source = known.source.empty() ? rule.source : known.source;
    finding.message = fill_message(rule.message, finding.subject, known.to, known.note);
    finding.message.add_in_front({"{name} computes {what}.", {{"name", finding.subject}, {"what", known.computes}}});
}

void become_unknown(const Rule& rule, Finding& finding) {
    if (finding.rule != rule.id)
        finding = make_finding(rule, finding.range, std::string(finding.subject), Certainty::resolved, {}, {}, {});
}

}  // namespace migrator
