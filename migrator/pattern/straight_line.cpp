#include "migrator/pattern/straight_line.h"
#include "base/text.h"

#include <algorithm>

namespace migrator {
namespace {

bool is_block(NodeKind kind) { return kind == NodeKind::block || kind == NodeKind::module; }
bool is_loop(NodeKind kind) { return kind == NodeKind::for_statement || kind == NodeKind::while_statement; }

// Statements that run their parts some time, or not at all.
bool is_compound(NodeKind kind) {
    switch (kind) {
        case NodeKind::if_statement:
        case NodeKind::for_statement:
        case NodeKind::while_statement:
        case NodeKind::try_statement:
        case NodeKind::with_statement:
        case NodeKind::match_statement: return true;
        default: return false;
    }
}

bool ends_lookup(NodeKind kind) {
    switch (kind) {
        case NodeKind::function_definition:
        case NodeKind::class_definition:
        case NodeKind::lambda:
        case NodeKind::list_comprehension:
        case NodeKind::set_comprehension:
        case NodeKind::dictionary_comprehension:
        case NodeKind::generator_expression: return true;
        default: return false;
    }
}

}  // namespace

NodeId StraightLine::statement_of(NodeId node) const {
    for (; node != tree_.root() && !is_block(tree_.kind(tree_.parent(node))); node = tree_.parent(node)) steps_.take(1);
    return node;
}

std::optional<Definition> StraightLine::definition(NodeId identifier) const {
    if (tree_.kind(identifier) != NodeKind::identifier) return std::nullopt;
    const BindingSites sites = bindings_.binding_sites(identifier);
    if (sites.size() > kMaxBindingSites) return std::nullopt;
    steps_.take(sites.size());
    const ScopeId scope = bindings_.scope_at(identifier);
    for (const BindingSite& site : sites) {
        const bool is_walrus = tree_.kind(tree_.parent(site.target)) == NodeKind::named_expression;
        if (is_walrus || bindings_.scope_at(site.target) != scope) return std::nullopt;
    }
    auto any_in = [&](NodeId first, NodeId last) {
        return std::any_of(sites.begin(), sites.end(),
                           [&](const BindingSite& site) { return site.target >= first && site.target < last; });
    };
    NodeId at = identifier;
    for (NodeId parent = tree_.parent(at); parent != kNoNode; at = parent, parent = tree_.parent(at)) {
        const NodeKind kind = tree_.kind(parent);
        steps_.take(1);
        if (is_block(kind)) {
            const BindingSite* latest = nullptr;
            for (const BindingSite& site : sites) {
                if (site.target > parent && site.target < at) latest = &site;
            }
            if (latest == nullptr) continue;
            const NodeId statement = statement_of(latest->target);
            if (tree_.parent(statement) != parent || tree_.kind(statement) != NodeKind::expression_statement)
                return std::nullopt;
            const NodeId assignment = tree_.first_child(statement);
            if (tree_.kind(assignment) != NodeKind::assignment) return std::nullopt;
            const NodeId left = tree_.child(assignment, Field::left), right = tree_.child(assignment, Field::right);
            if (left == kNoNode || right == kNoNode || tree_.kind(right) == NodeKind::assignment) return std::nullopt;
            if (left == latest->target) return Definition{statement, right, Definition::kWhole};
            if (tree_.kind(left) != NodeKind::pattern_list && tree_.kind(left) != NodeKind::tuple_pattern)
                return std::nullopt;
            const NodeList targets = tree_.named_children(left);
            const bool plain = std::all_of(targets.begin(), targets.end(),
                                           [&](NodeId id) { return tree_.kind(id) == NodeKind::identifier; });
            const auto found = std::find(targets.begin(), targets.end(), latest->target);
            if (!plain || found == targets.end()) return std::nullopt;
            return Definition{statement, right, static_cast<int>(found - targets.begin())};
        }
        if (ends_lookup(kind)) return std::nullopt;
        // What another part of the statement binds may hold here; what a loop binds later, in its next turn.
        const NodeId last = is_loop(kind) ? tree_.subtree_end(parent) : at;
        if (is_compound(kind) && any_in(parent, last)) return std::nullopt;
    }
    return std::nullopt;
}

// From this node on uses see the binding: an assignment binds when its right side is computed.
NodeId StraightLine::effect_of(NodeId target) const {
    for (NodeId at = target; at != kNoNode && !is_block(tree_.kind(at)); at = tree_.parent(at)) {
        const NodeKind kind = tree_.kind(at);
        steps_.take(1);
        if (kind == NodeKind::assignment || kind == NodeKind::augmented_assignment) return tree_.subtree_end(at);
    }
    return target;
}

// The outermost loop around `node` that `without` is not in; kNoNode when there is none.
NodeId StraightLine::loop_around(NodeId node, NodeId without) const {
    NodeId found = kNoNode;
    for (NodeId at = node; at != kNoNode && !tree_.is_ancestor(at, without); at = tree_.parent(at)) {
        steps_.take(1);
        if (is_loop(tree_.kind(at))) found = at;
    }
    return found;
}

bool StraightLine::is_bound_between(NodeId variable, NodeId from, NodeId to, std::span<const NodeId> removed) const {
    const NodeId first = std::min(from, to), last = std::max(from, to);
    const NodeId loop = loop_around(last, first);
    if (bindings_.binding_sites(variable).size() > kMaxBindingSites) return true;
    for (const BindingSite& site : bindings_.binding_sites(variable)) {
        const NodeId statement = statement_of(site.target);
        if (base::contains(removed, statement)) continue;
        const NodeId effect = effect_of(site.target);
        if (effect > first && effect <= last) return true;
        if (loop != kNoNode && tree_.is_ancestor(loop, site.target)) return true;
    }
    return false;
}

// What runs between the two, and in a loop around one of them what runs before its next turn.
bool StraightLine::is_changed_between(NodeId expression, NodeId from, NodeId to) const {
    const NodeId first = std::min(from, to), last = std::max(from, to);
    const NodeId loop = loop_around(last, first);
    const NodeId end = loop == kNoNode ? last : tree_.subtree_end(loop);
    const Effects::Names names = effects_.with_aliases(variables(expression));
    const NodeId begin = tree_.is_ancestor(first, last) ? first + 1 : tree_.subtree_end(first);
    for (NodeId id = begin; id < end; ++id) {
        steps_.take(1);
        // What the place itself is an argument of happens behind it.
        if (!tree_.is_ancestor(id, last) && effects_.may_change(id, names)) return true;
    }
    return false;
}

std::vector<NodeId> StraightLine::variables(NodeId expression) const {
    std::vector<NodeId> out;
    steps_.take(tree_.subtree_end(expression) - expression);
    for (NodeId id = expression; id < tree_.subtree_end(expression); ++id) {
        const NodeKind kind = tree_.kind(id);
        const bool is_keyword =
            tree_.kind(tree_.parent(id)) == NodeKind::keyword_argument && tree_.field(id) == Field::name;
        const bool is_member =
            tree_.kind(tree_.parent(id)) == NodeKind::attribute && tree_.field(id) == Field::attribute;
        const bool may_be = (kind == NodeKind::identifier && !is_member && !is_keyword) || kind == NodeKind::attribute;
        if (may_be && !bindings_.binding_sites(id).empty()) out.push_back(id);
    }
    return out;
}

bool StraightLine::same_value(NodeId from, NodeId to, std::span<const NodeId> removed) const {
    for (const NodeId variable : variables(from)) {
        if (is_bound_between(variable, from, to, removed)) return false;
    }
    return !is_changed_between(from, from, to);
}

bool StraightLine::is_needed_outside(const Definition& definition, std::span<const NodeId> uses) const {
    const NodeId left = tree_.child(tree_.first_child(definition.statement), Field::left);
    NodeList targets{left};
    if (tree_.kind(left) != NodeKind::identifier) targets = tree_.named_children(left);
    const NodeId effect = tree_.subtree_end(definition.statement);
    for (const NodeId target : targets) {
        if (bindings_.scope_kind(bindings_.scope_at(target)) != ScopeKind::function) return true;
        const auto reads = bindings_.reads(target);
        if (std::max(reads.size(), bindings_.binding_sites(target).size()) > kMaxBindingSites) return true;
        // Reads behind the next assignment in the same block do not see this one.
        NodeId until = tree_.subtree_end(tree_.root());
        for (const BindingSite& site : bindings_.binding_sites(target)) {
            const NodeId statement = statement_of(site.target);
            const bool replaces = tree_.parent(statement) == tree_.parent(definition.statement) &&
                                  tree_.kind(tree_.parent(site.target)) == NodeKind::assignment;
            if (site.target >= effect && replaces) until = std::min(until, effect_of(site.target));
        }
        const NodeId loop = loop_around(definition.statement, tree_.root());
        for (const NodeId read : reads) {
            if (base::contains(uses, read)) continue;
            if (bindings_.scope_at(read) != bindings_.scope_at(target)) return true;
            if (read >= effect && read < until) return true;
            if (loop != kNoNode && read < effect && tree_.is_ancestor(loop, read)) return true;
        }
    }
    return false;
}

}  // namespace migrator
