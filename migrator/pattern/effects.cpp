#include "migrator/pattern/effects.h"

#include <algorithm>

namespace migrator {
namespace {

// The call is a statement of its own: it is made for what it does.
bool is_statement(const SyntaxTree& tree, NodeId call) {
    NodeId parent = tree.parent(call);
    if (tree.kind(parent) == NodeKind::await) parent = tree.parent(parent);
    return tree.kind(parent) == NodeKind::expression_statement;
}

bool is_variable_kind(NodeKind kind) { return kind == NodeKind::identifier || kind == NodeKind::attribute; }

}  // namespace

std::string_view Effects::root_of(NodeId expression) const {
    while (true) {
        steps_.take(1);
        NodeId inner = kNoNode;
        if (tree_.kind(expression) == NodeKind::attribute) inner = tree_.child(expression, Field::object);
        if (tree_.kind(expression) == NodeKind::subscript) inner = tree_.child(expression, Field::value);
        if (tree_.kind(expression) == NodeKind::call) inner = tree_.child(expression, Field::function);
        if (inner == kNoNode) return tree_.text(expression);
        expression = inner;
    }
}

void Effects::add_names_in(NodeId expression, Names& out) const {
    const NodeId end = tree_.subtree_end(expression);
    steps_.take(end - expression);
    for (NodeId id = expression; id < end; ++id) {
        if (is_variable_kind(tree_.kind(id)) && !bindings_.binding_sites(id).empty()) out.insert(tree_.text(id));
    }
}

Effects::Names Effects::with_aliases(std::span<const NodeId> variables) const {
    Names out;
    for (const NodeId variable : variables) {
        out.insert(tree_.text(variable));
        const BindingSites sites = bindings_.binding_sites(variable);
        steps_.take(sites.size());
        for (const BindingSite& site : sites) {
            if (site.value != kNoNode) add_names_in(site.value, out);
        }
        // What is made of it: `view = x.view(-1)`.
        const auto reads = bindings_.reads(variable);
        steps_.take(reads.size());
        for (const NodeId read : reads) {
            NodeId at = read;
            for (; at != kNoNode && tree_.kind(at) != NodeKind::assignment; at = tree_.parent(at)) {
                steps_.take(1);
                if (tree_.kind(at) == NodeKind::block || tree_.kind(at) == NodeKind::module) break;
            }
            if (at == kNoNode || tree_.kind(at) != NodeKind::assignment) continue;
            const NodeId left = tree_.child(at, Field::left);
            if (left != kNoNode && !tree_.is_ancestor(left, read)) add_names_in(left, out);
        }
    }
    return out;
}

bool Effects::mentions(NodeId node, const Names& names) const {
    const NodeId end = tree_.subtree_end(node);
    steps_.take(end - node);
    for (NodeId id = node; id < end; ++id) {
        if (is_variable_kind(tree_.kind(id)) && names.contains(tree_.text(id))) return true;
    }
    return false;
}

bool Effects::mentions_variables(NodeId node) const {
    Names found;
    add_names_in(node, found);
    return !found.empty();
}

bool Effects::may_change(NodeId node, const Names& names) const {
    switch (tree_.kind(node)) {
        case NodeKind::await:
        case NodeKind::yield: return true;
        case NodeKind::assignment:
        case NodeKind::augmented_assignment: {
            const NodeId left = tree_.child(node, Field::left);
            return left != kNoNode && writes_to(left, names);
        }
        case NodeKind::call: return call_may_change(node, names);
        default: return false;
    }
}

// A part of anything, or a member of one of them: `x[0] = y`, `x.data = y`.
bool Effects::writes_to(NodeId target, const Names& names) const {
    const NodeId end = tree_.subtree_end(target);
    steps_.take(end - target);
    for (NodeId id = target; id < end; ++id) {
        if (tree_.kind(id) == NodeKind::subscript) return true;
        if (tree_.kind(id) != NodeKind::attribute) continue;
        const NodeId object = tree_.child(id, Field::object);
        const bool is_own = object != kNoNode && tree_.kind(object) == NodeKind::identifier;
        if (!is_own || names.contains(tree_.text(object)) || names.contains(tree_.text(id))) return true;
    }
    return tree_.kind(tree_.parent(target)) == NodeKind::augmented_assignment && mentions(target, names);
}

bool Effects::call_may_change(NodeId call, const Names& names) const {
    const NodeId function = tree_.child(call, Field::function);
    const NodeId arguments = tree_.child(call, Field::arguments);
    if (function == kNoNode || arguments == kNoNode) return true;
    const std::string_view name = tree_.text(function);
    if (name.ends_with('_') && !name.ends_with("__")) return true;
    if (reader_.only_computes(call)) return false;
    if (is_statement(tree_, call)) return statement_may_change(call, function, names);
    // A function of a function sees its variables.
    const bool is_attribute = tree_.kind(function) == NodeKind::attribute;
    if (!is_attribute && !bindings_.binding_sites(function).empty()) {
        const ScopeId scope = bindings_.scope_at(bindings_.binding_sites(function).front().target);
        if (bindings_.scope_kind(scope) != ScopeKind::module) return true;
    }
    if (!mentions(arguments, names)) return false;
    const auto references = bindings_.references(function);
    const bool is_builtin = !references.empty() && std::ranges::all_of(references, [](const Reference& reference) {
        return reference.origin == Origin::builtin;
    });
    return !is_builtin && !(is_attribute && is_plain_module(function));
}

bool Effects::statement_may_change(NodeId call, NodeId function, const Names& names) const {
    if (mentions_variables(tree_.child(call, Field::arguments))) return true;
    const auto references = bindings_.references(function);
    const bool is_library = !references.empty() && std::ranges::all_of(references, [](const Reference& reference) {
        return reference.origin == Origin::external || reference.origin == Origin::builtin;
    });
    if (is_library) return mentions(function, names);
    if (tree_.kind(function) != NodeKind::attribute) return true;
    const std::string_view root = root_of(function);
    return std::ranges::any_of(names, [&](std::string_view one) {
        return one == root || (one.starts_with(root) && one.substr(root.size()).starts_with('.'));
    });
}

// `self.up(x)`: a member of an object, and no method; where it is made nothing says that it may write to its input.
bool Effects::is_plain_module(NodeId function) const {
    const auto references = bindings_.references(function);
    const BindingSites sites = bindings_.binding_sites(function);
    const bool is_method =
        std::ranges::any_of(references, [](const Reference& reference) { return reference.origin == Origin::project; });
    if (is_method || (sites.empty() && !references.empty())) return false;
    steps_.take(sites.size());
    return std::ranges::all_of(sites, [&](const BindingSite& site) {
        if (site.value == kNoNode) return true;
        const NodeId end = tree_.subtree_end(site.value);
        steps_.take(end - site.value);
        for (NodeId id = site.value; id < end; ++id) {
            if (tree_.kind(id) == NodeKind::true_ || tree_.kind(id) == NodeKind::lambda) return false;
        }
        return true;
    });
}

}  // namespace migrator
