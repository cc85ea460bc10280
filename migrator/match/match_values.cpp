#include <algorithm>

#include "base/format.h"
#include "migrator/match/matchers.h"
#include "migrator/python/literal.h"
#include "migrator/values/value_edits.h"

namespace migrator {
namespace {

// The call or comparison that a value was lost in, and what to do there.
base::Message lost_in(const PythonFile& file, NodeId lost, const std::string& line, const std::string& to) {
    const SyntaxTree& tree = file.tree();
    for (NodeId at = tree.parent(lost); at != kNoNode && file.may_step(); at = tree.parent(at)) {
        if (tree.kind(at) == NodeKind::comparison_operator)
            return {"Line {line} compares it with something that could not be seen to be one: if it is, write {to}.",
                    {{"line", line}, {"to", to}}};
        if (tree.kind(at) != NodeKind::call) continue;
        const std::string_view function = file.last_name(tree.child(at, Field::function));
        if (function.empty()) break;
        return {"Line {line} gives it to {function}, which is not known to take one: if it does, write {to}.",
                {{"line", line}, {"function", std::string(function)}, {"to", to}}};
    }
    return {"What becomes of it on line {line} could not be seen: if it is used as one there, write {to}.",
            {{"line", line}, {"to", to}}};
}

void say_what_is_not_known(const PythonFile& file, const ValueFlow& flow, Finding& finding, const std::string& to) {
    if (!flow.is_lost()) {
        finding.severity = Severity::info;
        finding.message.add("Nothing that uses it was found.");
        return;
    }
    if (flow.lost_at() == kNoNode) {
        finding.message.add(
            {"What another file does with it could not be seen: if it is used as one there, write {to}.",
             {{"to", to}}});
        return;
    }
    finding.message.add(lost_in(file, flow.lost_at(), std::to_string(file.line_of(flow.lost_at())), to));
}

// class Names(Enum): FUSED = "adamw_torch_fused": the name is defined here, and chosen elsewhere.
bool defines_enum_member(const PythonFile& file, NodeId literal) {
    const SyntaxTree& tree = file.tree();
    if (tree.kind(tree.parent(literal)) != NodeKind::assignment) return false;
    const NodeId owner = tree.ancestor(literal, NodeKind::class_definition);
    if (owner == kNoNode) return false;
    const NodeId bases = tree.child(owner, Field::superclasses);
    const NodeId function = tree.ancestor(literal, NodeKind::function_definition);
    if (bases == kNoNode || (function != kNoNode && function > owner)) return false;
    return std::ranges::any_of(tree.named_children(bases),
                               [&](NodeId base) { return file.last_name(base).ends_with("Enum"); });
}

void match_literal(const PythonFile& file, const AdaptedCode& adapted, const Literal& literal, const ValueRow& row,
                   ValueFlow& flow, FindingSink& sink) {
    std::vector<ValueToken> tokens = value_tokens(literal.text, row);
    if (tokens.empty() || names_attribute(file, literal.node)) return;
    std::optional<Certainty> certainty = flow.destination(literal.node);
    // A word means something only where it is taken.
    if (!certainty && row.form == ValueForm::word) return;
    const bool only_defined = row.form == ValueForm::word && defines_enum_member(file, literal.node);
    // Keys, options and attribute names belong to the user, unless they are used as values of the domain as well.
    if (!certainty && (flow.is_users_name() || adapted.contains(literal.node))) return;
    // Words for people are nobody's device.
    if (!certainty && flow.is_shown() && !flow.is_lost()) return;
    std::string shown = literal.shown();
    std::vector<ValueToken> of_shown = value_tokens(shown, row);
    Finding finding = make_finding(*row.rule, file.tree().range(literal.node), shown,
                                   certainty.value_or(Certainty::textual), replaced(shown, of_shown), {}, {});
    if (!certainty) say_what_is_not_known(file, flow, finding, replaced(shown, of_shown));
    const bool stays = certainty && flow.keeps_key();
    auto edits = stays ? entry_beside(file, literal, row, tokens, flow) : value_edits(file, literal, row, tokens, flow);
    if (stays && edits && edits->empty()) return;
    if (only_defined) edits.reset();
    if (stays) finding.message.add("The key also stays: weights that were saved on a GPU name it.");
    // Text beside text needs nothing bound.
    if (edits)
        finding.fix = Fix{std::move(*edits), row.rule->at_run_time ? std::vector<ImportRequest>{} : row.rule->imports};
    // A key that the device is looked up by is not redirected.
    const bool is_key = file.tree().kind(file.tree().parent(literal.node)) == NodeKind::pair &&
                        file.tree().field(literal.node) == Field::key;
    finding.at_run_time &= !edits && !is_key;
    sink.push_back(std::move(finding));
}

// What is put together is nobody's literal: it is reported, and not rewritten.
void match_composed(const PythonFile& file, const AdaptedCode& adapted, const ComposedText& composed,
                    const ValueRow& row, FindingSink& sink) {
    const std::vector<ValueToken> tokens = value_tokens(composed.text, row);
    if (tokens.empty() || row.form == ValueForm::word || adapted.contains(composed.node)) return;
    // A part that is one by itself is rewritten where it stands.
    const SyntaxTree& tree = file.tree();
    for (NodeId part = composed.node; part < tree.subtree_end(composed.node); ++part) {
        const auto literal = tree.kind(part) == NodeKind::string ? read_literal(tree, part) : std::nullopt;
        if (literal && !value_tokens(literal->text, row).empty()) return;
    }
    ValueFlow flow(file, row);
    const std::optional<Certainty> certainty = flow.destination(composed.node);
    if (!certainty && !flow.is_lost()) return;
    sink.push_back(make_finding(*row.rule, tree.range(composed.node), composed.text,
                                certainty.value_or(Certainty::textual), replaced(composed.text, tokens), {}, {}));
}

// How many letters of a device's name are cut off, in the chosen style: 4, len(device_type) + 1.
std::optional<std::string> letters_to_cut(const ValueRow& row, const std::string& from, const std::string& to) {
    if (row.fix.replace_by.empty()) return std::to_string(to.size() + 1);
    const auto expression = row.fix.replace_by.find(from);
    if (expression == row.fix.replace_by.end()) return std::nullopt;
    return base::format("len({}) + 1", expression->second);
}

// device[5:] cuts off "cuda:"
void match_cut(const PythonFile& file, const AdaptedCode& adapted, NodeId slice, const ValueRow& row,
               FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    const NodeId text = tree.child(tree.parent(slice), Field::value);
    const NodeList bounds = tree.named_children(slice);
    const bool starts =
        bounds.size() == 1 && tree.text(slice).ends_with(':') && tree.kind(bounds[0]) == NodeKind::integer;
    // What is cut of a name in the plural are items.
    if (!starts || text == kNoNode || file.last_name(text).ends_with('s') || adapted.contains(slice)) return;
    for (const auto& [from, to] : row.fix.replace) {
        if (tree.text(bounds[0]) != std::to_string(from.size() + 1)) continue;
        const auto certainty = ValueFlow(file, row).is_value(text);
        if (!certainty) continue;
        Finding finding = make_finding(*row.rule, tree.range(bounds[0]), from + ":", *certainty, to + ":", {}, {});
        finding.message.add("It is cut here to a number of characters.");
        if (auto letters = letters_to_cut(row, from, to))
            finding.fix = Fix{{{tree.range(bounds[0]), std::move(*letters)}}, row.rule->imports};
        sink.push_back(std::move(finding));
    }
}

}  // namespace

void match_values(const PythonFile& file, const AdaptedCode& adapted, std::span<const Literal> literals,
                  FindingSink& sink) {
    const std::vector<ValueRow>& rows = file.rules().values;
    std::vector<ValueFlow> flows;
    for (const ValueRow& row : rows) flows.emplace_back(file, row);
    for (const Literal& literal : literals) {
        for (std::size_t i = 0; i < rows.size(); ++i) match_literal(file, adapted, literal, rows[i], flows[i], sink);
    }
    for (NodeId node = 0; node < file.tree().size(); ++node) {
        if (file.tree().kind(node) != NodeKind::slice) continue;
        for (const ValueRow& row : file.rules().values) {
            if (row.form == ValueForm::device && !row.rule->at_run_time) match_cut(file, adapted, node, row, sink);
        }
    }
    for (const ComposedText& composed : read_composed_texts(file.tree())) {
        for (const ValueRow& row : file.rules().values) match_composed(file, adapted, composed, row, sink);
    }
}

}  // namespace migrator
