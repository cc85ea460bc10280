// scope_probe: the scopes of Python files as the migrator sees them, for the test that compares them with CPython's.
// Reads paths from the standard input. Prints per file `file PATH`, per scope `scope ID PARENT KIND NAME` (parents first; `-` for
// no name), and per name that is used in a scope `name SCOPE KIND NAME`: local, global (of the module, a builtin or unknown) or free.
#include <iostream>
#include <map>
#include <string>

#include "base/console.h"
#include "base/file_system.h"
#include "base/format.h"
#include "migrator/semantic/file_model.h"
#include "migrator/semantic/scope_builder.h"

namespace {

using namespace migrator;

std::string_view kind_of(const SyntaxTree& tree, const Scope& scope) {
    switch (scope.kind) {
        case ScopeKind::module: return "module";
        case ScopeKind::function: return "function";
        case ScopeKind::class_: return "class";
        case ScopeKind::lambda: return "lambda";
        case ScopeKind::type_parameters: return "type_parameters";
        case ScopeKind::comprehension: return name(tree.kind(scope.node));
    }
    return "";
}

std::string_view name_of(const SyntaxTree& tree, const Scope& scope) {
    const bool named = scope.kind == ScopeKind::function || scope.kind == ScopeKind::class_;
    const NodeId name = named ? tree.child(scope.node, Field::name) : kNoNode;
    return name == kNoNode ? "-" : tree.text(name);
}

std::string_view kind_of(const FileModel& model, ScopeId scope, NameId name) {
    if (model.variable(scope, name) && !model.redirects.contains(FileModel::key(scope, name))) return "local";
    const auto found = model.lookup(scope, name);
    return found && found->scope != kModuleScope ? "free" : "global";
}

// Under `from __future__ import annotations` they are texts, and CPython does not look into them.
bool has_text_annotations(const FileModel& model) {
    for (const ImportedName& import : model.imports) {
        if (import.module == "__future__" && import.name == "annotations") return true;
    }
    return false;
}

bool is_in_annotation(const SyntaxTree& tree, NodeId node) {
    for (NodeId at = node; at != kNoNode; at = tree.parent(at)) {
        if (tree.kind(at) == NodeKind::type) return true;
        if (tree.kind(at) == NodeKind::lambda || tree.kind(at) == NodeKind::block) return false;
    }
    return false;
}

void print_names(const SyntaxTree& tree, FileModel& model) {
    const bool text_annotations = has_text_annotations(model);
    std::map<std::pair<ScopeId, std::string_view>, NameId> used;
    for (NodeId node = 0; node < tree.size(); ++node) {
        if (tree.kind(node) != NodeKind::identifier || model.role_of[node] == Role::none) continue;
        if (text_annotations && is_in_annotation(tree, node)) continue;
        used.try_emplace({model.scope_of[node], tree.text(node)}, model.names.intern(tree.text(node)));
    }
    // A name may be bound from an inner scope alone: by := in a comprehension.
    for (const Symbol& symbol : model.symbols) {
        if (!symbol.attribute) used.try_emplace({symbol.scope, model.names.text(symbol.name)}, symbol.name);
    }
    for (const auto& [key, name] : used)
        base::print(stdout, base::format("name {} {} {}\n", key.first, kind_of(model, key.first, name), key.second));
}

void print_file(const std::string& path) {
    base::FileSystem& files = base::real_file_system();
    auto bytes = base::read_file(files, path);
    if (!bytes) return;
    const SyntaxTree tree = SyntaxTree::parse(*bytes);
    const TypeFacts facts;
    const ModuleContext context;
    FileModel model(tree, facts, context);
    ScopeBuilder(model).run();
    base::print(stdout, base::format("file {}\n", path));
    for (ScopeId id = 0; id < model.scopes.size(); ++id) {
        const Scope& scope = model.scopes[id];
        base::print(stdout,
                    base::format("scope {} {} {} {}\n", id, scope.parent, kind_of(tree, scope), name_of(tree, scope)));
    }
    print_names(tree, model);
}

}  // namespace

int main() {
    for (std::string path; std::getline(std::cin, path);) print_file(path);
    return 0;
}
