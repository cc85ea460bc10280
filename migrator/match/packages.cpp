#include <algorithm>
#include <set>

#include "base/file_system.h"
#include "base/format.h"
#include "base/string_map.h"
#include "migrator/match/matchers.h"
#include "migrator/match/requirement.h"
#include "migrator/semantic/project_index.h"
#include "migrator/semantic/project_modules.h"

namespace migrator {
namespace {

// A module in a directory without an __init__.py is the project's where it is there: others may have more of the same name,
// as `megatron` has.
bool is_own_module(const PythonFile& file, const ImportedName& import) {
    const SyntaxTree& tree = file.tree();
    const NodeId module = tree.child(import.statement, Field::module_name);
    const bool is_relative = module != kNoNode && tree.kind(module) == NodeKind::relative_import;
    if (is_relative || file.is_project_module(import.qualified())) return true;
    return import.origin == Origin::project &&
           (import.name.empty() || !is_namespace_package(file.context().module, import.module));
}

// A function or class of a file of the project.
bool is_defined(const PythonFile& file, std::string_view qualified) {
    const ProjectIndex* index = file.context().module.index;
    return index != nullptr && !index->resolve(qualified).empty();
}

// A program finds the files beside it, also those of a package that it lies in.
bool is_beside(const PythonFile& file, const std::string& qualified) {
    const std::string& here = file.context().module.module_name;
    const std::string beside = here.substr(0, here.rfind('.') + 1) + qualified;
    return here.find('.') != here.npos && (file.is_project_module(beside) || is_defined(file, beside));
}

// One finding for each package of a statement, at the first name that needs it.
void match_imports(const PythonFile& file, FindingSink& sink) {
    std::set<std::pair<NodeId, const PackageRow*>> told;
    for (const ImportedName& import : file.bindings().imports()) {
        if (is_own_module(file, import)) continue;
        const PackageRow* row =
            file.rules().packages.of_module(import.name == "*" ? import.module : import.qualified());
        if (row == nullptr || row->quiet || !told.emplace(import.statement, row).second) continue;
        NodeId module = file.tree().child(import.statement, Field::module_name);
        sink.push_back(package_finding(
            *row, file.tree().range(import.name.empty() || module == kNoNode ? import.node : module), row->name));
    }
}

// The calls of what imports bind. Those of a name are looked for once, as a file may import it again and again.
class CallsOfImports {
public:
    explicit CallsOfImports(const PythonFile& file) : file_(file) {}

    // In words; empty without one.
    base::Message after(const ImportedName& import) {
        const auto [known, is_new] = calls_.try_emplace(import.bound_name);
        if (is_new) known->second = calls_of(import.bound_name);
        const auto first = std::ranges::lower_bound(known->second, file_.tree().subtree_end(import.statement));
        if (first == known->second.end()) return {};
        const std::uint32_t line = file_.line_of(*first);
        const auto count = known->second.end() - first;
        if (count == 1) return {"It is called on line {line}.", {{"line", std::to_string(line)}}};
        return {"It is called {count} times in this file, first on line {line}.",
                {{"count", std::to_string(count)}, {"line", std::to_string(line)}}};
    }

private:
    // The names that begin what is called.
    std::vector<NodeId> calls_of(std::string_view name) const {
        const SyntaxTree& tree = file_.tree();
        std::vector<NodeId> out;
        for (const NodeId node : file_.identifiers(name)) {
            NodeId chain = node;
            while (tree.kind(tree.parent(chain)) == NodeKind::attribute && tree.field(chain) == Field::object)
                chain = tree.parent(chain);
            if (file_.call_of(chain) != kNoNode) out.push_back(node);
        }
        return out;
    }

    const PythonFile& file_;
    base::StringMap<std::vector<NodeId>> calls_;
};

// "torch.npu" of `import torch.npu` and `from torch.npu import x`; else the last part of what is imported, unless a table
// knows its package.
bool fits_import(const std::string& pattern, std::string_view name, const ImportedName& import, bool is_known) {
    if (pattern.find('.') == pattern.npos) return !is_known && fits(pattern, name.substr(name.rfind('.') + 1));
    return fits(pattern, name) && (import.name.empty() || name == import.module);
}

// The rows of `import`, or of `own_import`, that fit what is imported.
template <class Row>
void match_rows(const PythonFile& file, const ImportedName& import, const std::string& qualified,
                const std::vector<Row>& rows, CallsOfImports& calls, FindingSink& sink) {
    constexpr bool is_own = std::is_same_v<Row, OwnImportRow>;
    const bool is_known = !is_own && file.rules().packages.of_module(import.module) != nullptr;
    for (const Row& row : rows) {
        for (const std::string_view name : {std::string_view(import.module), std::string_view(qualified)}) {
            if (is_own && name == import.module) continue;
            const bool hit = std::any_of(row.all.begin(), row.all.end(), [&](const std::string& pattern) {
                return fits_import(pattern, name, import, is_known);
            });
            if (!hit || is_beside(file, qualified)) continue;
            sink.push_back(make_finding(*row.rule, file.tree().range(import.node), std::string(name), Certainty::likely,
                                        {}, calls.after(import), {}));
            break;
        }
    }
}

// `import` and `own_import`: modules by the shape of their name. Packages that a table knows are spoken for.
void match_import_patterns(const PythonFile& file, FindingSink& sink) {
    CallsOfImports calls(file);
    for (const ImportedName& import : file.bindings().imports()) {
        const std::string qualified = import.name == "*" ? import.module : import.qualified();
        // Of a package of the project, what has a source is not compiled.
        const bool is_own = is_own_module(file, import);
        const bool has_source = is_own && (import.name.empty() || import.name == "*" ||
                                           file.is_project_module(qualified) || is_defined(file, qualified));
        if (has_source) continue;
        if (is_own) match_rows(file, import, qualified, file.rules().own_imports, calls, sink);
        else match_rows(file, import, qualified, file.rules().imports, calls, sink);
    }
}

bool asks_for_packages(std::string_view keyword) {
    return keyword.ends_with("_requires") || keyword.ends_with("_require");
}

// install_requires=[...], also through a variable that is named like one.
void match_requirements(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    for (const Literal& literal : literals) {
        auto package = required_package(literal.text);
        if (!package) continue;
        std::string_view holder;
        for (NodeId at = tree.parent(literal.node); at != kNoNode && holder.empty(); at = tree.parent(at)) {
            NodeId name = kNoNode;
            if (tree.kind(at) == NodeKind::keyword_argument) name = tree.child(at, Field::name);
            else if (tree.kind(at) == NodeKind::assignment) name = tree.child(at, Field::left);
            else if (tree.kind(at) == NodeKind::call || tree.kind(at) == NodeKind::block) break;
            if (name != kNoNode) holder = tree.text(name);
        }
        if (!asks_for_packages(holder)) continue;
        if (auto finding = package_finding(file.rules(), *package, tree.range(literal.node)))
            sink.push_back(std::move(*finding));
    }
}

}  // namespace

void match_packages(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink) {
    match_imports(file, sink);
    match_import_patterns(file, sink);
    if (base::file_name(file.path()) == "setup.py") match_requirements(file, literals, sink);
}

}  // namespace migrator
