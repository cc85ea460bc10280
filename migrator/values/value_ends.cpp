#include "migrator/values/value_ends.h"

#include <algorithm>

#include "base/string_map.h"
#include "migrator/python/literal.h"
#include "migrator/values/value_flow.h"
#include "migrator/values/value_form.h"

namespace migrator {

std::string_view shared_name(const ValueEnd& end) {
    return std::string_view(end.name).substr(0, end.name.find_first_of("([{"));
}

std::string_view last_word(const ValueEnd& end) {
    const std::string_view name = shared_name(end);
    return name.substr(name.rfind('.') + 1);
}

bool is_member(std::string_view name) { return name.starts_with(kAnyObject); }

bool is_parameter(const ValueEnd& end) {
    const std::size_t open = end.name.find('(');
    return open != end.name.npos && end.name[open + 1] != ')';
}

// Ends lead to each other: as sure as the surest way out, and lost when one way is. What changes at an end is taken to those
// that lead to it, until nothing changes.
ValueEnds::ValueEnds(const std::map<ValueEnd, EndUse>& uses, const std::set<ValueEnd>& unfollowed) : lost_(unfollowed) {
    std::map<ValueEnd, std::vector<const ValueEnd*>> before;
    std::vector<ValueEnd> pending(unfollowed.begin(), unfollowed.end());
    for (const auto& [end, use] : uses) {
        if (use.certainty) known_.emplace(end, *use.certainty);
        if (use.lost) lost_.insert(end);
        if (use.certainty || use.lost) pending.push_back(end);
        for (const std::string& name : use.further) before[{end.rule, name}].push_back(&end);
    }
    while (!pending.empty()) {
        const ValueEnd changed = std::move(pending.back());
        pending.pop_back();
        const auto certainty = find(changed.rule, changed.name);
        const bool lost = lost_.contains(changed);
        for (const ValueEnd* end : before[changed]) {
            bool is_news = lost && lost_.insert(*end).second;
            if (certainty) {
                const auto [known, added] = known_.emplace(*end, *certainty);
                is_news |= added || known->second < *certainty;
                known->second = std::max(known->second, *certainty);
            }
            if (is_news) pending.push_back(*end);
        }
    }
}

std::optional<Certainty> ValueEnds::find(const std::string& rule, const std::string& name) const {
    const auto known = known_.find({rule, name});
    return known == known_.end() ? std::nullopt : std::optional(known->second);
}

namespace {

// Whether it calls a function that reads a text as a command or as settings, by its name alone.
bool calls_reader(const SyntaxTree& tree, const RuleSet& rules) {
    base::StringSet readers;
    const auto add = [&](const ParametersByFunction& functions) {
        for (const auto& [name, rows] : functions) readers.insert(last_part(name));
    };
    add(rules.script_places.commands);
    for (const auto& [as, functions] : rules.script_places.settings) add(functions);
    for (NodeId id = 0; id < tree.size(); ++id) {
        NodeId function = tree.kind(id) == NodeKind::call ? tree.child(id, Field::function) : kNoNode;
        if (function != kNoNode && tree.kind(function) == NodeKind::attribute)
            function = tree.child(function, Field::attribute);
        if (function != kNoNode && readers.contains(tree.text(function))) return true;
    }
    return false;
}

bool has_text_with_token(const SyntaxTree& tree, const RuleSet& rules) {
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::string) continue;
        const std::string_view text = tree.text(id);
        if (std::ranges::any_of(rules.values, [&](const ValueRow& row) { return has_token(text, row); })) return true;
    }
    return false;
}

}  // namespace

bool holds_values(const SyntaxTree& tree, const RuleSet& rules) {
    const bool has_value = std::ranges::any_of(read_literals(tree), [&](const Literal& literal) {
        return std::ranges::any_of(rules.values,
                                   [&](const ValueRow& row) { return !value_tokens(literal.text, row).empty(); });
    });
    return has_value || (calls_reader(tree, rules) && has_text_with_token(tree, rules));
}

std::set<ValueEnd> open_ends(const ParsedText& parsed, const MatchContext& context) {
    const PythonFile file({}, *parsed.tree, *parsed.bindings, context);
    std::set<ValueEnd> out;
    const std::vector<Literal> literals = read_literals(*parsed.tree);
    for (const ValueRow& row : context.rules->values) {
        ValueFlow flow(file, row);
        for (const Literal& literal : literals) {
            if (value_tokens(literal.text, row).empty()) continue;
            if (flow.destination(literal.node) == Certainty::resolved) continue;
            for (const std::string& end : flow.ends()) out.insert({row.rule->id, end});
        }
    }
    return out;
}

std::map<ValueEnd, EndUse> follow_ends(const ParsedText& parsed, const MatchContext& context,
                                       const std::set<ValueEnd>& wanted) {
    const PythonFile file({}, *parsed.tree, *parsed.bindings, context);
    std::map<ValueEnd, EndUse> out;
    for (const ValueEnd& end : wanted) {
        if (file.identifiers(last_word(end)).empty() && file.key_texts(last_word(end)).empty()) continue;
        for (const ValueRow& row : context.rules->values) {
            if (row.rule->id != end.rule) continue;
            ValueFlow flow(file, row);
            const auto certainty = flow.destination_of_end(end.name);
            if (certainty || !flow.ends().empty() || flow.is_lost())
                out.insert_or_assign(end, EndUse{certainty, flow.ends(), flow.is_lost()});
        }
    }
    return out;
}

}  // namespace migrator
