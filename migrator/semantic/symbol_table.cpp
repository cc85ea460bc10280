// Symbols: the part of ScopeBuilder that runs when all scopes are known and gives every binding its variable.
#include <algorithm>
#include <tuple>

#include "migrator/semantic/project_index.h"
#include "migrator/semantic/scope_builder.h"

namespace migrator {

void ScopeBuilder::make_symbols() {
    model_.bindings.reserve(pending_.size());
    // Names declared nonlocal need the variables of the functions around them, so these come first.
    for (const bool redirected : {false, true}) {
        for (const PendingBinding& pending : pending_) {
            const auto redirect = model_.redirects.find(FileModel::key(pending.scope, pending.name));
            if ((redirect != model_.redirects.end()) != redirected) continue;
            Binding binding = pending.binding;
            ScopeId scope = pending.scope;
            if (redirected) {
                if (redirect->second == kNone) redirect->second = nonlocal_scope(pending.scope, pending.name);
                scope = redirect->second;
                binding.elsewhere = true;
            }
            binding.symbol = symbol_for(scope, pending.name, false);
            model_.bindings.push_back(binding);
        }
    }
    for (auto& [key, scope] : model_.redirects) {
        if (scope == kNone) scope = nonlocal_scope(static_cast<ScopeId>(key >> 32), static_cast<NameId>(key));
    }
    add_star_names();
    order_bindings(0);
    // From here on variables are complete. Attributes hang on them, and get symbols of their own behind them.
    const std::size_t first_attribute = model_.bindings.size();
    add_attributes();
    order_bindings(first_attribute);
}

ScopeId ScopeBuilder::nonlocal_scope(ScopeId scope, NameId name) const {
    while (scope != kModuleScope) {
        scope = model_.scopes[scope].parent;
        const ScopeKind kind = model_.scopes[scope].kind;
        const bool is_function = kind == ScopeKind::function || kind == ScopeKind::lambda;
        if (is_function && model_.variable(scope, name)) return scope;
    }
    return kModuleScope;
}

SymbolId ScopeBuilder::symbol_for(ScopeId scope, NameId name, bool attribute) {
    auto& table = attribute ? model_.attributes : model_.variables;
    const auto [it, added] =
        table.try_emplace(FileModel::key(scope, name), static_cast<SymbolId>(model_.symbols.size()));
    if (added) model_.symbols.push_back({name, scope, attribute});
    return it->second;
}

// All names that the file reads, each once.
std::vector<NameId> ScopeBuilder::read_names() {
    std::vector<NameId> out;
    for (NodeId node = 0; node < tree_.size(); ++node) {
        const Role role = model_.role_of[node];
        const bool reads = role == Role::read || role == Role::reads_and_binds;
        if (reads && tree_.kind(node) == NodeKind::identifier) out.push_back(model_.names.intern(tree_.text(node)));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// `from torch import *` binds a thousand names; only those that the file reads become symbols. Of star imports that follow
// each other, the last that brings a name binds it.
void ScopeBuilder::add_star_names() {
    std::vector<std::uint32_t> stars;
    for (std::uint32_t index = 0; index < model_.imports.size(); ++index) {
        if (model_.imports[index].name == "*" && brings_known_names(model_.imports[index])) stars.push_back(index);
    }
    if (stars.empty()) return;
    const std::vector<NameId> names = read_names();
    std::vector<NameId> open;
    NodeId behind = kNoNode;
    for (auto at = stars.rbegin(); at != stars.rend(); ++at) {
        const std::uint32_t index = *at;
        const ImportedName& imported = model_.imports[index];
        if (behind == kNoNode || tree_.next_sibling(imported.statement) != behind) open = names;
        behind = imported.statement;
        std::erase_if(open, [&](NameId name) {
            if (!brings(imported, model_.names.text(name))) return false;
            Binding binding{.kind = BindingKind::star, .target = imported.node, .import = index};
            binding.effect = tree_.subtree_end(imported.statement);
            binding.region = model_.region_of[imported.statement];
            binding.symbol = symbol_for(imported.scope, name, false);
            model_.bindings.push_back(binding);
            return true;
        });
    }
}

bool ScopeBuilder::brings_known_names(const ImportedName& star) const {
    if (star.origin == Origin::project && model_.context.index != nullptr) return true;
    return star.origin == Origin::external && !model_.facts.star_names(star.module).empty();
}

bool ScopeBuilder::brings(const ImportedName& star, std::string_view name) const {
    if (star.origin == Origin::project) return !model_.context.index->star_name(star.module, name).empty();
    return std::ranges::binary_search(model_.facts.star_names(star.module), name, std::less<>{});
}

// `self.x = v` in a method, or `Net.x = v`, binds an attribute of the class.
void ScopeBuilder::add_attributes() {
    for (Binding binding : attribute_bindings_) {
        const NodeId object = tree_.child(binding.target, Field::object);
        const NodeId attribute = tree_.child(binding.target, Field::attribute);
        if (object == kNoNode || attribute == kNoNode) continue;
        const ScopeId class_scope = class_of_object(object);
        if (class_scope == kNone) continue;
        binding.symbol = symbol_for(class_scope, model_.names.intern(tree_.text(attribute)), true);
        model_.bindings.push_back(binding);
        if (model_.role_of[binding.target] == Role::read) model_.role_of[binding.target] = Role::binds;
    }
}

// The class scope whose instance, or which itself, the object is; kNone when that does not meet the eye.
ScopeId ScopeBuilder::class_of_object(NodeId object) const {
    if (tree_.kind(object) != NodeKind::identifier) return kNone;
    const auto found = model_.lookup(model_.scope_of[object], model_.names.intern(tree_.text(object)));
    if (!found) return kNone;
    const auto bindings = model_.bindings_of(found->symbol);
    if (bindings.size() != 1) return kNone;
    if (bindings[0].kind == BindingKind::self) return model_.class_around(found->scope);
    if (bindings[0].kind != BindingKind::class_) return kNone;
    return model_.definition_scope(bindings[0].value);
}

// Sorts the bindings from `first` on and gives them to their symbols.
void ScopeBuilder::order_bindings(std::size_t first) {
    const auto order = [](const Binding& b) { return std::tuple(b.symbol, b.effect, b.target); };
    std::stable_sort(model_.bindings.begin() + static_cast<std::ptrdiff_t>(first), model_.bindings.end(),
                     [&](const Binding& a, const Binding& b) { return order(a) < order(b); });
    for (std::size_t i = first; i < model_.bindings.size(); ++i) {
        const Binding& binding = model_.bindings[i];
        Symbol& symbol = model_.symbols[binding.symbol];
        if (symbol.binding_count++ == 0) symbol.first_binding = static_cast<std::uint32_t>(i);
        symbol.bound_elsewhere = symbol.bound_elsewhere || binding.elsewhere;
        if (binding.kind != BindingKind::star) model_.symbol_of[binding.target] = binding.symbol;
    }
}

}  // namespace migrator
