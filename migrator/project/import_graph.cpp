#include "migrator/project/import_graph.h"

#include <algorithm>
#include <deque>

#include "migrator/semantic/reference.h"

namespace migrator {
namespace {

using base::Path;

constexpr std::string_view kPackageFile = "__init__.py";

bool is_package_file(const Path& file) { return base::file_name(file) == kPackageFile; }

}  // namespace

void ImportGraph::add(const Path& file, const std::vector<std::string>& names, FileImports imports) {
    Node& node = nodes_[file];
    node.path = file;
    node.imports = std::move(imports);
    std::ranges::stable_sort(node.imports.lazy, {}, &LazyName::name);
    if (!names.empty()) node.module = names.front();
    for (const std::string& name : names) modules_.emplace(name, &node);
}

// The file that holds `qualified`, or the module in it: "pkg.model.Net" is in pkg/model.py. A program also finds the
// files beside it.
ImportGraph::Found ImportGraph::find(std::string_view qualified, const Node& importer) const {
    // Each of its beginnings is looked for, and no longer one is the path of a file.
    constexpr std::size_t kLongestModule = 1024;
    for (std::string_view name = qualified.substr(0, kLongestModule); !name.empty();
         name = name.substr(0, name.rfind('.') == name.npos ? 0 : name.rfind('.'))) {
        const std::string_view member = qualified.substr(std::min(name.size() + 1, qualified.size()));
        if (auto found = modules_.find(name); found != modules_.end()) return {found->second, true, member};
        Path beside(name);
        std::replace(beside.begin(), beside.end(), '.', '/');
        beside = base::join(base::directory_below(importer.path), beside);
        for (const Path& file : {beside + ".py", base::join(beside, Path(kPackageFile))}) {
            if (auto found = nodes_.find(file); found != nodes_.end()) return {&found->second, false, member};
        }
    }
    return {};
}

void ImportGraph::finish() {
    for (auto& [path, node] : nodes_) {
        for (const ImportedModule& import : node.imports.modules) add_import(node, import);
    }
}

void ImportGraph::add_import(Node& node, const ImportedModule& import) {
    const Found found = find(import.name, node);
    if (found.file == nullptr) {
        node.external.push_back(import.name);
        return;
    }
    add_file(node, found, import.standing);
    for (const Found& lazy : lazily_imported(found)) add_file(node, lazy, import.standing);
}

void ImportGraph::add_file(Node& node, const Found& found, const CodeStanding& standing) {
    if (found.file == &node) return;
    const auto load = [&](const Node* file) {
        if (file == &node) return;
        node.files.push_back(file);
        if (!standing.sometimes) node.certain.emplace_back(standing.function, file);
    };
    load(found.file);
    for (const Node* package : packages_of(*found.file)) load(package);
    Node& imported = nodes_.at(found.file->path);
    imported.is_imported = true;
    imported.is_imported_by_path |= found.by_path;
}

// What a package loads as soon as this member of it is asked for; it may come from another such package.
std::vector<ImportGraph::Found> ImportGraph::lazily_imported(const Found& asked) const {
    std::size_t steps = 64;
    std::vector<Found> out, pending{asked};
    for (std::size_t i = 0; i < pending.size(); ++i) {
        const Found at = pending[i];
        const std::string_view name = at.member.substr(0, at.member.find('.'));
        const std::vector<LazyName>& known = at.file->imports.lazy;
        auto lazy = std::ranges::lower_bound(known, name, {}, &LazyName::name);
        for (; lazy != known.end() && lazy->name == name; ++lazy) {
            if (steps-- == 0) return out;
            const Found found = find(lazy->meaning, *at.file);
            if (found.file == nullptr || found.file == at.file) continue;
            out.push_back(found);
            pending.push_back(found);
        }
    }
    return out;
}

bool ImportGraph::is_program(const Path& file) const {
    const auto found = nodes_.find(file);
    if (found == nodes_.end()) return false;
    const Node& node = found->second;
    return node.imports.is_guarded || (!node.is_imported && outermost_package(file) == nullptr);
}

// The packages around a file run before it.
std::vector<const ImportGraph::Node*> ImportGraph::packages_of(const Node& file) const {
    std::vector<const Node*> out;
    for (Path directory = base::directory_below(file.path);; directory = base::directory_below(directory)) {
        const auto package = nodes_.find(base::join(directory, Path(kPackageFile)));
        if (package == nodes_.end()) return out;
        out.push_back(&package->second);
        if (directory.empty()) return out;
    }
}

std::vector<const ImportGraph::Node*> ImportGraph::reached(const Path& file, Edges edges) const {
    const auto found = nodes_.find(file);
    if (found == nodes_.end()) return {};
    std::vector<const Node*> out{&found->second};
    std::set<const Node*> seen{&found->second};
    const auto reach = [&](const Node* next) {
        if (seen.insert(next).second) out.push_back(next);
    };
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Node& node = *out[i];
        if (edges == Edges::all) {
            std::ranges::for_each(node.files, reach);
            continue;
        }
        for (const auto& [by, next] : node.certain) {
            if (edges == Edges::certain || by == CodeStanding::kAtLoad) reach(next);
        }
    }
    return out;
}

std::vector<Path> ImportGraph::paths_of(const std::vector<const Node*>& nodes) {
    std::vector<Path> out;
    for (const Node* node : nodes) out.push_back(node->path);
    return out;
}

std::vector<Path> ImportGraph::files_of(const Path& file) const { return paths_of(reached(file, Edges::all)); }
std::vector<Path> ImportGraph::files_always_of(const Path& file) const {
    return paths_of(reached(file, Edges::certain));
}
std::vector<Path> ImportGraph::files_at_load_of(const Path& file) const {
    return paths_of(reached(file, Edges::at_load));
}

std::vector<ImportGraph::CertainImport> ImportGraph::certain_imports(const Path& file) const {
    const auto found = nodes_.find(file);
    if (found == nodes_.end()) return {};
    std::vector<CertainImport> out;
    for (const auto& [by, node] : found->second.certain) out.push_back({by, &node->path});
    return out;
}

std::vector<std::string> ImportGraph::loads(const Path& file) const {
    std::set<std::string> out;
    for (const Node* node : reached(file, Edges::all)) out.insert(node->external.begin(), node->external.end());
    return {out.begin(), out.end()};
}

bool ImportGraph::imports_any(const Path& file, const std::vector<std::string>& modules) const {
    const auto found = nodes_.find(file);
    return found != nodes_.end() && imports_any(found->second, modules);
}

std::vector<std::pair<std::string_view, std::string_view>> ImportGraph::external() const {
    std::vector<std::pair<std::string_view, std::string_view>> out;
    for (const auto& [path, node] : nodes_) {
        for (const std::string& import : node.external) out.emplace_back(path, import);
    }
    return out;
}

bool ImportGraph::imports_any(const Node& node, const std::vector<std::string>& modules) const {
    return std::ranges::any_of(node.external, [&](const std::string& import) {
        return std::ranges::any_of(modules, [&](const std::string& module) { return is_within(import, module); });
    });
}

std::vector<Path> ImportGraph::imported_by_loading(const std::vector<std::string>& modules) const {
    const std::vector<Path> through_others = loading_through_others(modules);
    std::vector<const Node*> pending;
    for (const auto& [path, node] : nodes_) {
        if (imports_any(node, modules) || std::binary_search(through_others.begin(), through_others.end(), path))
            pending.push_back(&node);
    }
    std::set<Path> out;
    while (!pending.empty()) {
        const Node* node = pending.back();
        pending.pop_back();
        for (const Node* file : node->files) {
            if (out.insert(file->path).second) pending.push_back(file);
        }
    }
    return {out.begin(), out.end()};
}

std::vector<Path> ImportGraph::loading_through_others(const std::vector<std::string>& modules) const {
    std::vector<const Node*> loading;
    for (const auto& [path, node] : nodes_) {
        if (imports_any(node, modules)) loading.push_back(&node);
    }
    std::set<Path> out;
    for (const Node* importer : importers_of(loading)) out.insert(importer->path);
    return {out.begin(), out.end()};
}

std::set<const ImportGraph::Node*> ImportGraph::importers_of(const std::vector<const Node*>& of) const {
    std::map<const Node*, std::vector<const Node*>> importers;
    for (const auto& [path, node] : nodes_) {
        for (const Node* file : node.files) importers[file].push_back(&node);
    }
    std::vector<const Node*> pending = of;
    std::set<const Node*> out;
    while (!pending.empty()) {
        const Node* node = pending.back();
        pending.pop_back();
        for (const Node* importer : importers[node]) {
            if (out.insert(importer).second) pending.push_back(importer);
        }
    }
    return out;
}

std::map<Path, ImportGraph::Way> ImportGraph::ways_from(const std::vector<Path>& roots) const {
    std::map<Path, Way> out;
    std::deque<const Node*> pending;
    const auto reach = [&](const Node& node, const Path& importer, const Path& root) {
        if (out.emplace(node.path, Way{importer, root}).second) pending.push_back(&node);
    };
    for (const Path& root : roots) {
        if (const auto found = nodes_.find(root); found != nodes_.end()) reach(found->second, root, root);
    }
    while (!pending.empty()) {
        const Node* node = pending.front();
        pending.pop_front();
        const Path root = out.find(node->path)->second.root;
        for (const Node* file : node->files) reach(*file, node->path, root);
    }
    return out;
}

std::vector<Path> ImportGraph::programs_loading(const std::vector<Path>& files) const {
    std::vector<const Node*> of;
    for (const Path& file : files) {
        if (const auto found = nodes_.find(file); found != nodes_.end()) of.push_back(&found->second);
    }
    std::set<Path> out;
    for (const Node* importer : importers_of(of)) {
        if (is_program(importer->path)) out.insert(importer->path);
    }
    return {out.begin(), out.end()};
}

// Of all directories above that are packages without a gap; nullptr when the file is in none.
const ImportGraph::Node* ImportGraph::outermost_package(const Path& file) const {
    const Node* out = nullptr;
    for (Path directory = base::directory_below(file);; directory = base::directory_below(directory)) {
        const auto package = nodes_.find(base::join(directory, Path(kPackageFile)));
        if (package == nodes_.end()) return out;
        out = &package->second;
        if (directory.empty()) return out;
    }
}

ImportGraph::Place ImportGraph::place_of_module(const Path& file) const {
    const auto place_of_package = [](const Node& package) {
        return Place{base::directory_below(package.path), package.module};
    };
    if (const Node* package = outermost_package(file)) return place_of_package(*package);
    const auto found = nodes_.find(file);
    if (found == nodes_.end()) return {base::directory_below(file), {}};
    const Node& node = found->second;
    for (const Node* imported : node.files) {
        if (const Node* package = outermost_package(imported->path)) return place_of_package(*package);
    }
    // "utils.metrics" imported from the root: the module is looked for there, not beside the file.
    if (!node.is_imported_by_path || is_package_file(file)) return {base::directory_below(file), {}};
    const auto depth = static_cast<std::size_t>(std::count(node.module.begin(), node.module.end(), '.'));
    Path directory = base::directory_below(file);
    for (std::size_t i = 0; i < depth; ++i) directory = base::directory_below(directory);
    return {directory, {}};
}

}  // namespace migrator
