#include "migrator/semantic/scope_builder.h"

namespace migrator {
namespace {

// Real code is a few levels deep, and Python itself refuses a hundred; below these the contents count as one level.
constexpr std::uint32_t kMaxScopeDepth = 400;
constexpr std::uint32_t kMaxRegionDepth = 200;

bool is_comprehension(NodeKind kind) {
    return kind == NodeKind::list_comprehension || kind == NodeKind::set_comprehension ||
           kind == NodeKind::dictionary_comprehension || kind == NodeKind::generator_expression;
}

}  // namespace

void ScopeBuilder::run() {
    model_.scope_of.assign(tree_.size(), kModuleScope);
    model_.region_of.assign(tree_.size(), 0);
    model_.role_of.assign(tree_.size(), Role::read);
    model_.symbol_of.assign(tree_.size(), kNone);
    model_.scopes.push_back({.region = 0, .qualified = model_.names.intern_copy(model_.context.module_name)});
    model_.regions.push_back({});
    // In preorder a node comes after its parent: what the parent has decided is there.
    for (NodeId node = 1; node < tree_.size(); ++node) {
        place(node);
        enter(node);
        collect(node);
    }
    // From here on every scope is known, so `nonlocal` can be followed.
    make_symbols();
}

void ScopeBuilder::place(NodeId node) {
    const NodeId parent = tree_.parent(node);
    model_.scope_of[node] = model_.scope_of[parent];
    model_.region_of[node] = model_.region_of[parent];
    switch (tree_.kind(parent)) {
        case NodeKind::function_definition:
        case NodeKind::class_definition:
        case NodeKind::lambda: place_in_definition(node, parent); break;
        case NodeKind::default_parameter:
        case NodeKind::typed_default_parameter:
        case NodeKind::typed_parameter:
            if (tree_.field(node) == Field::value || tree_.field(node) == Field::type)
                place_outside_function(node, parent);
            break;
        case NodeKind::list_comprehension:
        case NodeKind::set_comprehension:
        case NodeKind::dictionary_comprehension:
        case NodeKind::generator_expression:
        case NodeKind::type_alias_statement:
            if (auto found = model_.scope_of_definition.find(parent); found != model_.scope_of_definition.end()) {
                model_.scope_of[node] = found->second;
            }
            break;
        case NodeKind::for_in_clause:
            // The first iterable is evaluated before the comprehension's scope is entered.
            if (tree_.field(node) == Field::right && is_first_for_clause(parent)) {
                model_.scope_of[node] = model_.scope_of[tree_.parent(parent)];
            }
            break;
        case NodeKind::if_statement:
        case NodeKind::for_statement:
        case NodeKind::while_statement:
        case NodeKind::try_statement:
        case NodeKind::block: place_in_statement(node, parent); break;
        default: break;
    }
}

void ScopeBuilder::place_in_definition(NodeId node, NodeId definition) {
    const auto found = model_.scope_of_definition.find(definition);
    if (found == model_.scope_of_definition.end()) return;
    const ScopeId inner = found->second;
    const Scope& scope = model_.scopes[inner];
    const Field field = tree_.field(node);
    if (field == Field::body || field == Field::parameters) {
        model_.scope_of[node] = inner;
        // A class body runs where it stands; a function runs later.
        if (scope.region != kNone) model_.region_of[node] = scope.region;
    } else if (field == Field::type_parameters || field == Field::superclasses || field == Field::return_type) {
        model_.scope_of[node] = scope.parent;
    }
}

// Defaults and annotations belong to the code around the function.
void ScopeBuilder::place_outside_function(NodeId node, NodeId parameter) {
    const Scope& function = model_.scopes[model_.scope_of[parameter]];
    if (function.kind != ScopeKind::function && function.kind != ScopeKind::lambda) return;
    model_.scope_of[node] = function.parent;
    model_.region_of[node] = model_.region_of[function.node];
}

void ScopeBuilder::place_in_statement(NodeId node, NodeId statement) {
    const bool is_case = tree_.kind(node) == NodeKind::case_clause;
    if (tree_.kind(statement) == NodeKind::block && !is_case) return;
    const auto found = branch_of_.find(is_case ? tree_.parent(statement) : statement);
    if (found == branch_of_.end()) return;
    const BranchId branch = found->second;
    const NodeKind kind = tree_.kind(node);
    const Field field = tree_.field(node);
    if (is_case) {
        model_.region_of[node] = add_arm(branch, tree_.child(node, Field::consequence));
        return;
    }
    switch (tree_.kind(statement)) {
        case NodeKind::if_statement:
            if (field == Field::consequence) model_.region_of[node] = add_arm(branch, node);
            if (kind == NodeKind::elif_clause)
                model_.region_of[node] = add_arm(branch, tree_.child(node, Field::consequence));
            if (kind == NodeKind::else_clause) model_.region_of[node] = add_arm(branch, tree_.child(node, Field::body));
            break;
        case NodeKind::for_statement:
        case NodeKind::while_statement:
            // A loop's targets and its condition are evaluated again in every round.
            if (field == Field::body || field == Field::left || field == Field::condition) {
                model_.region_of[node] = model_.branches[branch].first;
            } else if (kind == NodeKind::else_clause) {
                model_.region_of[node] = add_region(model_.branches[branch].parent, branch);
            }
            break;
        case NodeKind::try_statement:
            // `else` goes on where the body ends; `finally` always runs.
            if (field == Field::body || kind == NodeKind::else_clause)
                model_.region_of[node] = model_.branches[branch].first;
            if (kind == NodeKind::except_clause) {
                const NodeList parts = operands(tree_, node);
                model_.region_of[node] = add_arm(branch, parts.empty() ? kNoNode : parts.back());
            }
            break;
        default: break;
    }
}

void ScopeBuilder::enter(NodeId node) {
    const NodeKind kind = tree_.kind(node);
    if (is_comprehension(kind)) {
        model_.scope_of_definition[node] = add_scope(ScopeKind::comprehension, model_.scope_of[node], node);
        return;
    }
    switch (kind) {
        case NodeKind::function_definition:
        case NodeKind::lambda: enter_function(node); break;
        case NodeKind::class_definition: enter_class(node); break;
        case NodeKind::type_alias_statement:
            // `type(self).x = v` looks like one to the grammar.
            if (type_alias_name(node) == kNoNode) break;
            model_.scope_of_definition[node] = add_scope(ScopeKind::type_parameters, model_.scope_of[node], node);
            break;
        case NodeKind::if_statement: {
            bool has_else = false;
            for (NodeId at = tree_.first_child(node); at != kNoNode; at = tree_.next_sibling(at)) {
                has_else = has_else || tree_.kind(at) == NodeKind::else_clause;
            }
            add_branch(BranchKind::alternatives, node, has_else);
            break;
        }
        case NodeKind::for_statement:
        case NodeKind::while_statement: {
            const BranchId branch = add_branch(BranchKind::loop, node, false);
            model_.branches[branch].first = add_region(model_.region_of[node], branch);
            break;
        }
        case NodeKind::try_statement: {
            const BranchId branch = add_branch(BranchKind::handlers, node, true);
            const RegionId body = add_arm(branch, tree_.child(node, Field::body));
            model_.branches[branch].first = body;
            break;
        }
        case NodeKind::match_statement: enter_match(node); break;
        default: break;
    }
}

ScopeId ScopeBuilder::add_scope(ScopeKind kind, ScopeId parent, NodeId node, std::string_view name) {
    const std::uint32_t depth = model_.scopes[parent].depth + 1;
    if (depth > kMaxScopeDepth) return parent;
    // A comprehension or lambda has no name of its own; what it defines is named after what is around it.
    const NameId around = model_.scopes[parent].qualified;
    const NameId qualified = name.empty() ? around : model_.names.child(around, name);
    const bool runs_later = kind == ScopeKind::function || kind == ScopeKind::lambda;
    model_.scopes.push_back({kind, parent, node, depth, runs_later ? add_region(kNone, kNone) : kNone, qualified});
    return static_cast<ScopeId>(model_.scopes.size() - 1);
}

RegionId ScopeBuilder::add_region(RegionId parent, BranchId branch) {
    const std::uint32_t depth = parent == kNone ? 0 : model_.regions[parent].depth + 1;
    if (depth > kMaxRegionDepth) return parent;
    model_.regions.push_back({parent, branch, depth, false});
    return static_cast<RegionId>(model_.regions.size() - 1);
}

RegionId ScopeBuilder::add_arm(BranchId branch, NodeId block) {
    const RegionId arm = add_region(model_.branches[branch].parent, branch);
    if (arm == model_.branches[branch].parent) return arm;
    model_.regions[arm].exits = block != kNoNode && exits(block);
    if (!model_.regions[arm].exits) ++model_.branches[branch].arms;
    return arm;
}

BranchId ScopeBuilder::add_branch(BranchKind kind, NodeId node, bool exhaustive) {
    const auto branch = static_cast<BranchId>(model_.branches.size());
    model_.branches.push_back({kind, node, model_.region_of[node], kNone, 0, exhaustive});
    branch_of_[node] = branch;
    return branch;
}

void ScopeBuilder::enter_function(NodeId node) {
    const NodeId name = tree_.child(node, Field::name);
    const NodeId type_parameters = tree_.child(node, Field::type_parameters);
    const ScopeId around = model_.scope_of[node];
    ScopeId outer = around;
    if (type_parameters != kNoNode) {
        outer = add_scope(ScopeKind::type_parameters, around, node);
        collect_type_parameters(type_parameters, outer);
    }
    const bool is_lambda = tree_.kind(node) == NodeKind::lambda;
    const ScopeId scope = add_scope(is_lambda ? ScopeKind::lambda : ScopeKind::function, outer, node,
                                    name == kNoNode ? std::string_view{} : tree_.text(name));
    model_.scope_of_definition[node] = scope;
    const NodeId parameters = tree_.child(node, Field::parameters);
    const bool is_method =
        model_.scopes[around].kind == ScopeKind::class_ && !is_lambda && !has_decorator(tree_, node, "staticmethod");
    if (parameters != kNoNode) collect_parameters(parameters, scope, is_method);
}

void ScopeBuilder::enter_class(NodeId node) {
    const NodeId name = tree_.child(node, Field::name);
    const NodeId type_parameters = tree_.child(node, Field::type_parameters);
    ScopeId outer = model_.scope_of[node];
    if (type_parameters != kNoNode) {
        outer = add_scope(ScopeKind::type_parameters, outer, node);
        collect_type_parameters(type_parameters, outer);
    }
    model_.scope_of_definition[node] =
        add_scope(ScopeKind::class_, outer, node, name == kNoNode ? std::string_view{} : tree_.text(name));
}

void ScopeBuilder::enter_match(NodeId node) {
    const NodeId body = tree_.child(node, Field::body);
    bool exhaustive = false;
    for (NodeId at = body == kNoNode ? kNoNode : tree_.first_child(body); at != kNoNode; at = tree_.next_sibling(at)) {
        if (tree_.kind(at) != NodeKind::case_clause || tree_.child(at, Field::guard) != kNoNode) continue;
        const NodeId pattern = tree_.first_child(at) == kNoNode ? kNoNode : tree_.next_sibling(tree_.first_child(at));
        exhaustive = exhaustive || (pattern != kNoNode && tree_.text(pattern) == "_");
    }
    add_branch(BranchKind::alternatives, node, exhaustive);
}

bool ScopeBuilder::exits(NodeId block) const {
    NodeKind last = NodeKind::other;
    for (NodeId at = tree_.first_child(block); at != kNoNode; at = tree_.next_sibling(at)) {
        if (tree_.named(at) && tree_.kind(at) != NodeKind::comment) last = tree_.kind(at);
    }
    return last == NodeKind::return_statement || last == NodeKind::raise_statement;
}

bool ScopeBuilder::is_first_for_clause(NodeId clause) const {
    NodeId at = tree_.first_child(tree_.parent(clause));
    while (at != kNoNode && tree_.kind(at) != NodeKind::for_in_clause) at = tree_.next_sibling(at);
    return at == clause;
}

}  // namespace migrator
