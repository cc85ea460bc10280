// Statements that a program needs before anything else.
#include <algorithm>

#include "migrator/match/matchers.h"

namespace migrator {
namespace {

// The statement at the top level of the file that `node` is in.
NodeId top_statement(const SyntaxTree& tree, NodeId node) {
    while (tree.parent(node) != tree.root()) node = tree.parent(node);
    return node;
}

// The first statement whose imports may load the module: those of the module, of the project, and of known packages.
NodeId first_loading_import(const PythonFile& file, std::string_view module, bool by_packages = true) {
    const SyntaxTree& tree = file.tree();
    for (const ImportedName& import : file.bindings().imports()) {
        const ScopeKind scope = file.bindings().scope_kind(import.scope);
        if (import.type_checking_only || scope == ScopeKind::function || scope == ScopeKind::lambda) continue;
        const bool loads = is_within(import.module, module) || import.origin == Origin::project ||
                           (by_packages && file.rules().packages.of_module(import.module) != nullptr);
        if (loads) return top_statement(tree, import.statement);
    }
    return kNoNode;
}

// The statement that follows the import of `behind`, where that comes in front of what may load the module.
NodeId statement_behind(const PythonFile& file, std::string_view behind, std::string_view module) {
    const SyntaxTree& tree = file.tree();
    const NodeId first = first_loading_import(file, module, false);
    for (const ImportedName& import : file.bindings().imports()) {
        if (behind.empty() || import.module != behind || tree.parent(import.statement) != tree.root()) continue;
        return import.statement < first ? tree.next_sibling(import.statement) : kNoNode;
    }
    return kNoNode;
}

// Behind the documentation and the __future__ imports, if nothing at the top level loads the module.
NodeId first_statement(const SyntaxTree& tree) {
    bool first = true;
    for (NodeId statement : tree.named_children(tree.root())) {
        const NodeKind kind = tree.kind(statement);
        if (kind == NodeKind::comment || kind == NodeKind::future_import_statement) continue;
        const bool is_documentation = first && kind == NodeKind::expression_statement &&
                                      tree.kind(tree.first_child(statement)) == NodeKind::string;
        first = false;
        if (!is_documentation) return statement;
    }
    return kNoNode;
}

bool is_imported(const PythonFile& file, std::string_view name) {
    const auto imports = file.bindings().imports();
    return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& import) {
        return import.qualified() == name || is_within(import.module, name);
    });
}

// Whole lines in front of the line that the statement begins on.
Edit insertion(const SyntaxTree& tree, NodeId statement, const std::vector<std::string>& lines) {
    const std::string_view text = tree.source();
    std::size_t at = tree.range(statement).begin;
    while (at > 0 && text[at - 1] != '\n' && text[at - 1] != '\r') --at;
    const std::size_t first = text.find_first_of("\r\n");
    const std::string_view line_end = first == text.npos                       ? "\n"
                                      : text.substr(first).starts_with("\r\n") ? "\r\n"
                                                                               : text.substr(first, 1);
    std::string out;
    for (const std::string& line : lines) out.append(line).append(line_end);
    return {{at, at}, out};
}

}  // namespace

void match_program(const PythonFile& file, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    if (!file.context().is_program) return;
    const auto& loads = file.context().program_loads;
    for (const ProgramRow& row : file.rules().programs) {
        const bool relevant =
            file.imports_any({&row.loads, 1}) ||
            std::any_of(loads.begin(), loads.end(), [&](const auto& name) { return is_within(name, row.loads); });
        if (!relevant || is_imported(file, row.unless)) continue;
        NodeId statement = statement_behind(file, row.fix.behind, row.loads);
        if (statement == kNoNode) statement = first_loading_import(file, row.loads);
        if (statement == kNoNode) statement = first_statement(tree);
        if (statement == kNoNode) continue;
        Finding finding = make_finding(*row.rule, tree.range(statement), row.unless, Certainty::resolved, {}, {}, {});
        finding.fix = Fix{{insertion(tree, statement, row.fix.insert)}, {}};
        sink.push_back(std::move(finding));
    }
}

}  // namespace migrator
