#include <algorithm>
#include <set>

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

// The variables that hold settings of packages with a device of their own: PARAMS of lightgbm.train(PARAMS, data), f(**PARAMS).
class OthersSettings {
public:
    OthersSettings(const PythonFile& file, const ValueRow& row) : tree_(file.tree()) {
        if (!file.imports_any(row.others)) return;
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) != NodeKind::call || !is_of(file, row, tree_.child(id, Field::function))) continue;
            calls_.insert(id);
            const NodeId list = tree_.child(id, Field::arguments);
            for (const NodeId argument : list == kNoNode ? NodeList() : tree_.named_children(list))
                given_.insert(tree_.text(inside(argument)));
        }
    }

    // Whether the literal is a value in such settings.
    bool hold(NodeId literal) const {
        if (calls_.empty()) return false;
        const NodeId entry = tree_.parent(literal);
        if (entry == kNoNode) return false;
        // PARAMS["device"] = "cuda"
        if (tree_.kind(entry) == NodeKind::assignment) {
            const NodeId left = tree_.child(entry, Field::left);
            return tree_.kind(left) == NodeKind::subscript && is_given(tree_.child(left, Field::value));
        }
        NodeId mapping = tree_.parent(entry);
        if (tree_.kind(entry) == NodeKind::keyword_argument) {
            // dict(device="cuda"), PARAMS.update(device="cuda")
            mapping = tree_.parent(mapping);
            const NodeId function = tree_.child(mapping, Field::function);
            if (function == kNoNode) return false;
            if (tree_.kind(function) == NodeKind::attribute) return is_given(tree_.child(function, Field::object));
            if (tree_.text(function) != "dict") return false;
        } else if (tree_.kind(entry) != NodeKind::pair) {
            return false;
        }
        return is_for_others(mapping);
    }

private:
    static bool is_of(const PythonFile& file, const ValueRow& row, NodeId function) {
        return function != kNoNode &&
               std::ranges::any_of(file.bindings().references(function), [&](const Reference& one) {
                   return base::contains(row.others, std::string_view(one.name).substr(0, one.name.find('.')));
               });
    }

    // What `name=value` and `**value` give.
    NodeId inside(NodeId argument) const {
        const NodeKind kind = tree_.kind(argument);
        if (kind == NodeKind::keyword_argument) return tree_.child(argument, Field::value);
        if (kind != NodeKind::dictionary_splat) return argument;
        const NodeList parts = tree_.named_children(argument);
        return parts.empty() ? argument : parts.front();
    }

    bool is_given(NodeId variable) const { return variable != kNoNode && given_.contains(tree_.text(variable)); }

    bool is_for_others(NodeId mapping) const {
        NodeId around = tree_.parent(mapping);
        if (around != kNoNode && tree_.kind(around) == NodeKind::assignment)
            return is_given(tree_.child(around, Field::left));
        // PARAMS.update({...}), train({...})
        for (int up = 0; up < 3 && around != kNoNode; ++up, around = tree_.parent(around)) {
            if (tree_.kind(around) != NodeKind::call) continue;
            const NodeId function = tree_.child(around, Field::function);
            return calls_.contains(around) || (function != kNoNode && tree_.kind(function) == NodeKind::attribute &&
                                               is_given(tree_.child(function, Field::object)));
        }
        return false;
    }

    const SyntaxTree& tree_;
    std::set<NodeId> calls_;
    std::set<std::string_view> given_;
};

void match_literal(const PythonFile& file, const AdaptedCode& adapted, const Literal& literal, const ValueRow& row,
                   const OthersSettings& others, ValueFlow& flow, FindingSink& sink) {
    std::vector<ValueToken> tokens = value_tokens(literal.text, row);
    if (tokens.empty() || names_attribute(file, literal.node) || others.hold(literal.node)) return;
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

// dict(cuda=..., cpu=...), which is looked up by a device.
void match_keyword_keys(const PythonFile& file, const AdaptedCode& adapted, const ValueRow& row, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    for (const auto& [from, to] : row.fix.replace) {
        for (const NodeId name : file.identifiers(from)) {
            const NodeId keyword = tree.parent(name);
            if (tree.kind(keyword) != NodeKind::keyword_argument || tree.field(name) != Field::name) continue;
            // In what does not parse it may be a keyword of nothing.
            const NodeId call = tree.ancestor(keyword, NodeKind::call);
            const NodeId function = call == kNoNode ? kNoNode : tree.child(call, Field::function);
            if (function == kNoNode || tree.parent(tree.parent(keyword)) != call) continue;
            if (tree.text(function) != "dict" || adapted.contains(name)) continue;
            const auto certainty = ValueFlow(file, row).destination_of_keys(call);
            if (!certainty) continue;
            Finding finding = make_finding(*row.rule, tree.range(name), from, *certainty, to, {}, {});
            if (row.fix.replace_by.empty()) finding.fix = Fix{{{tree.range(name), to}}, row.rule->imports};
            finding.at_run_time = false;
            sink.push_back(std::move(finding));
        }
    }
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
    std::vector<OthersSettings> others;
    for (const ValueRow& row : rows) {
        flows.emplace_back(file, row);
        others.emplace_back(file, row);
    }
    for (const Literal& literal : literals) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            match_literal(file, adapted, literal, rows[i], others[i], flows[i], sink);
    }
    for (const ValueRow& row : rows) {
        if (row.form == ValueForm::device) match_keyword_keys(file, adapted, row, sink);
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
