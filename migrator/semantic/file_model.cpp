#include "migrator/semantic/file_model.h"

namespace migrator {

NodeList operands(const SyntaxTree& tree, NodeId node) {
    NodeList out;
    for (NodeId at = tree.first_child(node); at != kNoNode; at = tree.next_sibling(at)) {
        if (tree.named(at) && tree.kind(at) != NodeKind::comment && tree.kind(at) != NodeKind::line_continuation)
            out.push_back(at);
    }
    return out;
}

bool has_decorator(const SyntaxTree& tree, NodeId function, std::string_view name) {
    const NodeId decorated = tree.parent(function);
    if (tree.kind(decorated) != NodeKind::decorated_definition) return false;
    for (NodeId at = tree.first_child(decorated); at != kNoNode && at != function; at = tree.next_sibling(at)) {
        if (tree.kind(at) != NodeKind::decorator) continue;
        const NodeList parts = operands(tree, at);
        if (!parts.empty() && tree.text(parts.front()) == name) return true;
    }
    return false;
}

std::optional<FileModel::Lookup> FileModel::lookup_from(ScopeId scope, ScopeId user, NameId name) const {
    bool later = false;
    bool around_type_parameters = false;
    for (;;) {
        const Scope& at = scopes[scope];
        if (const auto redirect = redirects.find(key(scope, name)); redirect != redirects.end()) {
            const auto symbol = variable(redirect->second, name);
            if (!symbol) return std::nullopt;
            return Lookup{*symbol, redirect->second, true};
        }
        // The names of a class body are seen by the body itself and by its type parameters, not by its functions.
        const bool visible = at.kind != ScopeKind::class_ || scope == user || around_type_parameters;
        if (visible) {
            if (const auto symbol = variable(scope, name)) return Lookup{*symbol, scope, later};
        }
        if (scope == kModuleScope) return std::nullopt;
        later = later || at.kind == ScopeKind::function || at.kind == ScopeKind::lambda;
        around_type_parameters = at.kind == ScopeKind::type_parameters;
        scope = at.parent;
    }
}

std::optional<FileModel::Lookup> FileModel::lookup_outside(ScopeId scope, NameId name) const {
    if (scope == kModuleScope) return std::nullopt;
    return lookup_from(scopes[scope].parent, scope, name);
}

ScopeId FileModel::definition_scope(NodeId definition) const {
    const auto found = scope_of_definition.find(definition);
    // Below the deepest level that is followed, the scope is that of something around it.
    if (found == scope_of_definition.end() || scopes[found->second].node != definition) return kNone;
    return found->second;
}

ScopeId FileModel::class_around(ScopeId function_scope) const {
    if (scopes[function_scope].kind != ScopeKind::function) return kNone;
    ScopeId outer = scopes[function_scope].parent;
    if (scopes[outer].kind == ScopeKind::type_parameters) outer = scopes[outer].parent;
    return scopes[outer].kind == ScopeKind::class_ ? outer : kNone;
}

}  // namespace migrator
