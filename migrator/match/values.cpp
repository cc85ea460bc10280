#include <algorithm>

#include "migrator/match/literal.h"
#include "migrator/match/value_edits.h"
#include "migrator/match/words.h"

namespace migrator {
namespace {

void match_literal(const PythonFile& file, const AdaptedCode& adapted, const Literal& literal, const ValueRow& row,
                   FindingSink& sink) {
    std::vector<ValueToken> tokens = value_tokens(literal.text, row);
    if (tokens.empty() || names_attribute(file, literal.node)) return;
    ValueFlow flow(file, row);
    std::optional<Certainty> certainty = flow.destination(literal.node);
    // A word means something only where it is taken.
    if (!certainty && row.form == ValueRow::Form::word) return;
    // Keys, options and attribute names belong to the user, unless they are used as values of the domain as well.
    if (!certainty && (flow.is_users_name() || adapted.contains(literal.node))) return;
    std::string shown = literal.shown();
    std::vector<ValueToken> of_shown = value_tokens(shown, row);
    Finding finding = make_finding(*row.rule, file.tree().range(literal.node), shown,
                                   certainty.value_or(Certainty::textual), replaced(shown, of_shown), {}, {});
    if (!certainty) {
        finding.severity = Severity::info;
        finding.message.add("Whether it is used as one could not be seen here.");
    }
    auto edits = value_edits(file, literal, row, tokens, flow);
    // Text beside text needs nothing bound.
    if (edits)
        finding.fix = Fix{std::move(*edits), row.rule->at_run_time ? std::vector<ImportRequest>{} : row.rule->imports};
    // A key that the device is looked up by is not redirected.
    const bool is_key = file.tree().kind(file.tree().parent(literal.node)) == NodeKind::pair &&
                        file.tree().field(literal.node) == Field::key;
    finding.at_run_time &= !edits && !is_key;
    sink.push_back(std::move(finding));
}

}  // namespace

void match_values(const PythonFile& file, const AdaptedCode& adapted, std::span<const Literal> literals,
                  FindingSink& sink) {
    for (const Literal& literal : literals) {
        for (const ValueRow& row : file.rules().values()) match_literal(file, adapted, literal, row, sink);
    }
}

}  // namespace migrator
