#include "migrator/python/code_names.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "migrator/python/training_code.h"

namespace migrator {
namespace {

using Name = CodeNames::Name;

constexpr std::string_view kMainGuard = "__main__";
constexpr std::string_view kRegister = "register";

bool is_special(std::string_view name) { return name.starts_with("__") && name.ends_with("__"); }

// By node: the number of the outermost function around it, itself included; -1 outside.
std::vector<std::int32_t> function_numbers(const SyntaxTree& tree) {
    const std::vector<NodeId> around = functions_around(tree);
    std::vector<std::int32_t> out(tree.size(), -1);
    std::int32_t last = -1;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (around[id] == id) ++last;
        if (around[id] != kNoNode) out[id] = last;
    }
    return out;
}

void sort_names(std::vector<Name>& names) {
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

// Whether the identifier only gives something a name.
bool is_bound_here(const SyntaxTree& tree, NodeId id) {
    for (NodeId at = tree.parent(id); at != kNoNode; at = tree.parent(at)) {
        const NodeKind kind = tree.kind(at);
        if (kind == NodeKind::import_statement || kind == NodeKind::import_from_statement) return true;
        if (kind == NodeKind::function_definition || kind == NodeKind::class_definition)
            return tree.field(id) == Field::name && tree.parent(id) == at;
        if (kind != NodeKind::dotted_name && kind != NodeKind::aliased_import) return false;
    }
    return false;
}

// Of what is registered, or stands in a table, one is chosen later: register("flash", run), {"flash": run}.
bool is_for_choice(const SyntaxTree& tree, NodeId identifier) {
    const NodeId parent = tree.parent(identifier);
    if (tree.kind(parent) == NodeKind::pair) return tree.field(identifier) == Field::value;
    if (tree.kind(parent) != NodeKind::argument_list) return false;
    NodeId function = tree.child(tree.parent(parent), Field::function);
    if (function != kNoNode && tree.kind(function) == NodeKind::attribute)
        function = tree.child(function, Field::attribute);
    return function != kNoNode && tree.kind(function) == NodeKind::identifier &&
           tree.text(function).find(kRegister) != std::string_view::npos;
}

bool has_bases(const SyntaxTree& tree, NodeId definition) {
    const NodeId bases = tree.child(definition, Field::superclasses);
    return bases != kNoNode && !tree.named_children(bases).empty();
}

CodeNames::Function class_at(const SyntaxTree& tree, NodeId definition) {
    CodeNames::Function out;
    const NodeId name = tree.child(definition, Field::name);
    out.name = CodeNames::of(name == kNoNode ? std::string_view() : tree.text(name));
    const NodeId bases = tree.child(definition, Field::superclasses);
    for (NodeId id = bases; bases != kNoNode && id < tree.subtree_end(bases); ++id) {
        if (tree.kind(id) == NodeKind::identifier) out.mentions.push_back(CodeNames::of(tree.text(id)));
    }
    return out;
}

CodeNames::Function function_at(const SyntaxTree& tree, NodeId id) {
    CodeNames::Function out;
    const NodeId name = tree.child(id, Field::name);
    const std::string_view text = name == kNoNode ? std::string_view() : tree.text(name);
    out.name = CodeNames::of(text);
    const NodeId around = tree.ancestor(id, NodeKind::class_definition);
    if (around == kNoNode) return out;
    if (const NodeId class_name = tree.child(around, Field::name); class_name != kNoNode)
        out.of_class = CodeNames::of(tree.text(class_name));
    out.is_called_by_base = is_special(text) || has_bases(tree, around);
    return out;
}

bool is_handler_that_raises(const SyntaxTree& tree, NodeId handler) {
    const NodeList parts = tree.named_children(handler);
    const NodeList statements = parts.empty() ? NodeList{} : tree.named_children(parts.back());
    return !statements.empty() && tree.kind(statements.back()) == NodeKind::raise_statement;
}

// try: ... except: raise; what is tried is needed.
bool insists(const SyntaxTree& tree, NodeId tried) {
    return std::ranges::all_of(tree.named_children(tried), [&](NodeId part) {
        return tree.kind(part) != NodeKind::except_clause || is_handler_that_raises(tree, part);
    });
}

bool is_main_guard(const SyntaxTree& tree, NodeId statement) {
    const NodeId condition = tree.child(statement, Field::condition);
    return condition != kNoNode && tree.text(condition).find(kMainGuard) != std::string_view::npos;
}

// Whether what stands in the statement runs all the same.
bool is_no_condition(const SyntaxTree& tree, NodeId statement) {
    return tree.kind(statement) == NodeKind::try_statement ? insists(tree, statement) : is_main_guard(tree, statement);
}

// Whether the child runs in some cases only when its parent runs. `is_none`: see is_no_condition.
template <class IsNone>
bool is_conditional(const SyntaxTree& tree, NodeId parent, NodeId child, IsNone is_none) {
    switch (tree.kind(parent)) {
        case NodeKind::if_statement:
        case NodeKind::elif_clause: return tree.field(child) != Field::condition && !is_none(parent);
        case NodeKind::try_statement:
            if (tree.kind(child) == NodeKind::finally_clause) return false;
            return tree.kind(child) != NodeKind::block || !is_none(parent);
        case NodeKind::conditional_expression: {
            const NodeList parts = tree.named_children(parent);
            return parts.size() != 3 || parts[1] != child;
        }
        case NodeKind::boolean_operator: return tree.field(child) == Field::right;
        case NodeKind::match_statement: return tree.field(child) != Field::subject;
        default: return false;
    }
}

}  // namespace

Name CodeNames::of(std::string_view name) { return std::hash<std::string_view>()(name); }

CodeStandings code_standings(const SyntaxTree& tree) {
    const std::vector<std::int32_t> numbers = function_numbers(tree);
    CodeStandings out(tree.size());
    std::unordered_map<NodeId, bool> known;  // a statement is asked by each of its parts
    const auto is_none = [&](NodeId statement) {
        const auto [at, is_new] = known.try_emplace(statement, false);
        if (is_new) at->second = is_no_condition(tree, statement);
        return at->second;
    };
    // A parent comes before its children.
    for (NodeId id = 0; id < tree.size(); ++id) {
        const NodeId parent = tree.parent(id);
        const bool around = parent != kNoNode && (out[parent].sometimes || is_conditional(tree, parent, id, is_none));
        out[id] = {numbers[id], around};
    }
    return out;
}

CodeNames code_names(const SyntaxTree& tree, const CodeStandings& standings) {
    CodeNames out;
    NodeId bases = kNoNode;  // of the last class: `class Net(Base, pkg.Other):`
    for (NodeId id = 0; id < tree.size(); ++id) {
        const auto& [function, sometimes] = standings[id];
        const auto number = static_cast<std::size_t>(function);
        if (function >= 0 && number == out.functions.size()) out.functions.push_back(function_at(tree, id));
        if (function < 0 && tree.kind(id) == NodeKind::class_definition) {
            out.classes.push_back(class_at(tree, id));
            bases = tree.child(id, Field::superclasses);
        }
        if (sometimes || tree.kind(id) != NodeKind::identifier || is_bound_here(tree, id) || is_for_choice(tree, id))
            continue;
        if (bases != kNoNode && id >= bases && id < tree.subtree_end(bases)) continue;
        (function < 0 ? out.at_load : out.functions[number].mentions).push_back(CodeNames::of(tree.text(id)));
    }
    sort_names(out.at_load);
    for (CodeNames::Function& function : out.functions) sort_names(function.mentions);
    return out;
}

}  // namespace migrator
