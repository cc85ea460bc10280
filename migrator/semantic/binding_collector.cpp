// What statements and expressions bind: the part of ScopeBuilder that knows Python's binding forms.
#include <algorithm>
#include <utility>

#include "migrator/semantic/scope_builder.h"

namespace migrator {
namespace {

bool is_target_list(NodeKind kind) {
    return kind == NodeKind::pattern_list || kind == NodeKind::tuple_pattern || kind == NodeKind::list_pattern ||
           kind == NodeKind::tuple || kind == NodeKind::list || kind == NodeKind::expression_list ||
           kind == NodeKind::as_pattern_target || kind == NodeKind::parenthesized_expression;
}

bool is_starred_target(NodeKind kind) {
    return kind == NodeKind::list_splat_pattern || kind == NodeKind::list_splat ||
           kind == NodeKind::dictionary_splat_pattern;
}

bool has_comma(const SyntaxTree& tree, NodeId node) {
    for (NodeId at = tree.first_child(node); at != kNoNode; at = tree.next_sibling(at)) {
        if (!tree.named(at) && tree.text(at) == ",") return true;
    }
    return false;
}

// `(x) = v` and `with f() as x` wrap one target, which gets the whole value; `(x,) = v` unpacks.
bool is_wrapper(const SyntaxTree& tree, NodeId target, std::size_t parts) {
    const NodeKind kind = tree.kind(target);
    if (kind == NodeKind::as_pattern_target || kind == NodeKind::parenthesized_expression) return true;
    const bool round = kind == NodeKind::tuple_pattern || kind == NodeKind::tuple;
    return round && parts == 1 && !has_comma(tree, target);
}

// The value that each target gets when `value` is unpacked; kNoNode for a starred one; empty when that is not known.
NodeList unpacked(const SyntaxTree& tree, NodeId value, const NodeList& targets) {
    if (value == kNoNode) return {};
    const NodeKind kind = tree.kind(value);
    if (kind != NodeKind::expression_list && kind != NodeKind::tuple && kind != NodeKind::list) return {};
    const NodeList parts = operands(tree, value);
    const auto starred = [&](NodeId node) { return is_starred_target(tree.kind(node)); };
    if (std::ranges::any_of(parts, starred)) return {};
    const auto star = std::ranges::find_if(targets, starred);
    if (star == targets.end()) return parts.size() == targets.size() ? parts : NodeList{};
    if (parts.size() + 1 < targets.size()) return {};
    // `a, *b, c`: the last targets get the last values.
    const auto before = static_cast<std::size_t>(star - targets.begin());
    NodeList out;
    for (std::size_t i = 0; i < targets.size(); ++i) out.push_back(kNoNode);
    for (std::size_t i = 0; i < before; ++i) out[i] = parts[i];
    for (std::size_t i = before + 1; i < targets.size(); ++i) out[i] = parts[parts.size() - (targets.size() - i)];
    return out;
}

}  // namespace

void ScopeBuilder::collect(NodeId node) {
    const ScopeId scope = model_.scope_of[node];
    switch (tree_.kind(node)) {
        case NodeKind::identifier: collect_pattern_name(node); break;
        case NodeKind::attribute: ignore(tree_.child(node, Field::attribute)); break;
        case NodeKind::keyword_argument: ignore(tree_.child(node, Field::name)); break;
        case NodeKind::function_definition:
            bind_targets(scope, tree_.child(node, Field::name),
                         {.kind = BindingKind::function,
                          .value = node,
                          .effect = tree_.subtree_end(node),
                          .region = model_.region_of[node]});
            break;
        case NodeKind::class_definition:
            bind_targets(scope, tree_.child(node, Field::name),
                         {.kind = BindingKind::class_,
                          .value = node,
                          .effect = tree_.subtree_end(node),
                          .region = model_.region_of[node]});
            break;
        case NodeKind::assignment:
            // `a = b = value` nests to the right and is collected as one.
            if (tree_.kind(tree_.parent(node)) != NodeKind::assignment) collect_assignment(node);
            break;
        case NodeKind::augmented_assignment: {
            const NodeId target = tree_.child(node, Field::left);
            bind_targets(
                scope, target,
                {.kind = BindingKind::other, .effect = tree_.subtree_end(node), .region = model_.region_of[node]});
            if (target != kNoNode) model_.role_of[target] = Role::reads_and_binds;
            break;
        }
        case NodeKind::named_expression:
            bind_targets(scope, tree_.child(node, Field::name),
                         {.kind = BindingKind::value,
                          .value = tree_.child(node, Field::value),
                          .effect = tree_.subtree_end(node),
                          .region = model_.region_of[node]});
            break;
        case NodeKind::for_statement: {
            const NodeId body = tree_.child(node, Field::body);
            bind_targets(scope, tree_.child(node, Field::left),
                         {.kind = BindingKind::iteration,
                          .value = tree_.child(node, Field::right),
                          .effect = body == kNoNode ? tree_.subtree_end(node) : body,
                          .region = model_.branches[branch_of_[node]].first});
            break;
        }
        case NodeKind::for_in_clause:
            bind_targets(scope, tree_.child(node, Field::left),
                         {.kind = BindingKind::iteration,
                          .value = tree_.child(node, Field::right),
                          .effect = 0,
                          .region = model_.region_of[node]});
            break;
        case NodeKind::as_pattern: collect_as_pattern(node); break;
        case NodeKind::delete_statement:
            for (const NodeId target : operands(tree_, node)) {
                bind_targets(scope, target,
                             {.kind = BindingKind::deleted,
                              .effect = tree_.subtree_end(node),
                              .region = model_.region_of[node]});
            }
            break;
        case NodeKind::global_statement: collect_redirects(node, true); break;
        case NodeKind::nonlocal_statement: collect_redirects(node, false); break;
        case NodeKind::type_alias_statement: collect_type_alias(node); break;
        case NodeKind::return_statement:
        case NodeKind::yield: collect_return(node); break;
        case NodeKind::import_statement: collect_import(node); break;
        case NodeKind::import_from_statement: collect_from_import(node); break;
        case NodeKind::future_import_statement: collect_future_import(node); break;
        default: break;
    }
}

void ScopeBuilder::collect_assignment(NodeId node) {
    NodeList targets;
    NodeId value = node;
    while (value != kNoNode && tree_.kind(value) == NodeKind::assignment) {
        targets.push_back(tree_.child(value, Field::left));
        value = tree_.child(value, Field::right);
    }
    // An annotation stands only in an assignment with one target.
    const NodeId annotation = tree_.child(node, Field::type);
    // `(x): T` declares nothing.
    const bool is_in_parentheses = value == kNoNode && tree_.kind(targets.front()) != NodeKind::identifier &&
                                   tree_.kind(targets.front()) != NodeKind::attribute;
    if (is_in_parentheses) return;
    for (const NodeId target : targets) {
        bind_targets(model_.scope_of[node], target,
                     {.kind = value == kNoNode ? BindingKind::declared : BindingKind::value,
                      .value = value,
                      .annotation = annotation,
                      .effect = tree_.subtree_end(node),
                      .region = model_.region_of[node]});
    }
}

void ScopeBuilder::collect_return(NodeId node) {
    constexpr std::size_t kMaxReturns = 8;
    const ScopeId scope = model_.scope_of[node];
    if (model_.scopes[scope].kind != ScopeKind::function) return;
    FileModel::Returns& returns = model_.returns[scope];
    if (tree_.kind(node) == NodeKind::yield) {
        returns.generator = true;
    } else if (returns.values.size() == kMaxReturns) {
        returns.cut = true;
    } else {
        const NodeList parts = operands(tree_, node);
        returns.values.push_back(parts.size() == 1 ? parts.front() : kNoNode);
    }
}

// Binds every name in `target`; lists are unpacked as far as the value allows.
void ScopeBuilder::bind_targets(ScopeId scope, NodeId target, Binding binding) {
    struct Target {
        NodeId node;
        Binding binding;
    };
    base::InlineVector<Target, 2> pending;
    if (target != kNoNode) pending.push_back({target, binding});
    while (!pending.empty()) {
        auto [at, current] = pending.back();
        pending.pop_back();
        const NodeKind kind = tree_.kind(at);
        if (kind == NodeKind::identifier) {
            current.target = at;
            bind(scope, current);
        } else if (kind == NodeKind::attribute) {
            current.target = at;
            bind_attribute(current);
        } else if (is_target_list(kind) || is_starred_target(kind)) {
            const NodeList parts = operands(tree_, at);
            const bool wrapper = is_wrapper(tree_, at, parts.size());
            const bool follows = current.kind == BindingKind::value && !wrapper;
            const NodeList values = follows ? unpacked(tree_, current.value, parts) : NodeList{};
            for (std::size_t i = 0; i < parts.size(); ++i) {
                Binding part = current;
                if (!wrapper) {
                    part.value = values.empty() ? kNoNode : values[i];
                    if (current.kind != BindingKind::deleted)
                        part.kind = part.value == kNoNode ? BindingKind::other : BindingKind::value;
                }
                pending.push_back({parts[i], part});
            }
        }
    }
}

void ScopeBuilder::bind(ScopeId scope, Binding binding) {
    // `(x := v)` in a comprehension binds in the code around it.
    if (tree_.kind(tree_.parent(binding.target)) == NodeKind::named_expression) {
        while (model_.scopes[scope].kind == ScopeKind::comprehension) scope = model_.scopes[scope].parent;
    }
    if (model_.role_of[binding.target] == Role::read) model_.role_of[binding.target] = Role::binds;
    pending_.push_back({scope, model_.names.intern(tree_.text(binding.target)), binding});
}

void ScopeBuilder::bind_attribute(const Binding& binding) {
    // Deleting or declaring an attribute says nothing of its value.
    if (binding.kind != BindingKind::deleted) attribute_bindings_.push_back(binding);
}

void ScopeBuilder::collect_parameters(NodeId parameters, ScopeId scope, bool is_method) {
    Binding binding{.kind = is_method ? BindingKind::self : BindingKind::parameter,
                    .effect = 0,
                    .region = model_.scopes[scope].region};
    for (const NodeId parameter : operands(tree_, parameters)) {
        NodeId target = tree_.child(parameter, Field::name);
        if (target == kNoNode) target = parameter;
        if (tree_.kind(parameter) == NodeKind::typed_parameter) target = tree_.first_child(parameter);
        binding.value = tree_.child(parameter, Field::value);
        binding.annotation = tree_.child(parameter, Field::type);
        if (is_starred_target(tree_.kind(target))) {
            // *args and **kwargs are a tuple and a dict of what the annotation says.
            binding = {.kind = BindingKind::parameter, .effect = 0, .region = binding.region};
            for (const NodeId name : operands(tree_, target)) {
                binding.target = name;
                if (tree_.kind(name) == NodeKind::identifier) bind(scope, binding);
            }
        } else if (tree_.kind(target) == NodeKind::identifier) {
            binding.target = target;
            bind(scope, binding);
        }
        binding = {.kind = BindingKind::parameter, .effect = 0, .region = binding.region};
    }
}

void ScopeBuilder::collect_type_parameters(NodeId node, ScopeId scope) {
    for (const NodeId type : operands(tree_, node)) {
        // `T`, `T: bound`, `*Ts` and `**P`: the first identifier is the name.
        NodeId name = type;
        while (name != kNoNode && tree_.kind(name) != NodeKind::identifier) {
            const NodeList parts = operands(tree_, name);
            name = parts.empty() ? kNoNode : parts.front();
        }
        if (name != kNoNode)
            bind(scope, {.kind = BindingKind::other, .target = name, .effect = 0, .region = model_.region_of[node]});
    }
}

// `X as y` of with, except and case.
void ScopeBuilder::collect_as_pattern(NodeId node) {
    const NodeList parts = operands(tree_, node);
    if (parts.size() < 2) return;
    Binding binding{.kind = BindingKind::other,
                    .value = parts.front(),
                    .effect = tree_.subtree_end(node),
                    .region = model_.region_of[node]};
    const NodeKind parent = tree_.kind(tree_.parent(node));
    if (parent == NodeKind::with_item) binding.kind = BindingKind::context;
    if (parent == NodeKind::except_clause) binding.kind = BindingKind::exception;
    if (binding.kind == BindingKind::other) binding.value = kNoNode;
    bind_targets(model_.scope_of[node], parts.back(), binding);
}

// A name in a `case` captures when it stands alone; with a dot it is compared with.
void ScopeBuilder::collect_pattern_name(NodeId node) {
    const NodeId parent = tree_.parent(node);
    const NodeKind parent_kind = tree_.kind(parent);
    bool captures = parent_kind == NodeKind::splat_pattern;
    if (parent_kind == NodeKind::keyword_pattern && tree_.first_child(parent) == node) {
        ignore(node);
        return;
    }
    if (parent_kind == NodeKind::dotted_name) {
        const NodeKind around = tree_.kind(tree_.parent(parent));
        const bool is_pattern = around == NodeKind::case_pattern || around == NodeKind::keyword_pattern ||
                                around == NodeKind::union_pattern;
        captures = is_pattern && tree_.next_sibling(tree_.first_child(parent)) == kNoNode;
        // In `case a.b.C()` only the first part is a name; import statements have no expressions at all.
        if (tree_.first_child(parent) != node) ignore(node);
    }
    if (captures) {
        bind(model_.scope_of[node],
             {.kind = BindingKind::other, .target = node, .effect = node + 1, .region = model_.region_of[node]});
    }
}

void ScopeBuilder::collect_redirects(NodeId node, bool global) {
    for (const NodeId name : operands(tree_, node)) {
        ignore(name);
        const ScopeId scope = model_.scope_of[node];
        if (scope == kModuleScope) continue;
        const std::uint64_t key = FileModel::key(scope, model_.names.intern(tree_.text(name)));
        // kNone: the nearest function around that has the variable, known when the walk is over.
        model_.redirects[key] = global ? kModuleScope : kNone;
    }
}

// The identifier of `type X = ...` and `type X[T] = ...`; kNoNode for what only looks like it.
NodeId ScopeBuilder::type_alias_name(NodeId node) const {
    const NodeId left = tree_.child(node, Field::left);
    if (left == kNoNode) return kNoNode;
    NodeId name = left;
    while (tree_.kind(name) == NodeKind::type || tree_.kind(name) == NodeKind::generic_type) {
        const NodeList parts = operands(tree_, name);
        if (parts.empty()) return kNoNode;
        name = parts.front();
    }
    return tree_.kind(name) == NodeKind::identifier ? name : kNoNode;
}

void ScopeBuilder::collect_type_alias(NodeId node) {
    const NodeId name = type_alias_name(node);
    if (name == kNoNode) return;
    if (tree_.kind(tree_.parent(name)) == NodeKind::generic_type) {
        const NodeList parts = operands(tree_, tree_.parent(name));
        if (parts.size() > 1) collect_type_parameters(parts[1], model_.scope_of_definition[node]);
    }
    bind(model_.scope_of[node], {.kind = BindingKind::other,
                                 .target = name,
                                 .effect = tree_.subtree_end(node),
                                 .region = model_.region_of[node]});
}

}  // namespace migrator
