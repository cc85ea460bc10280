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

void ImportGraph::add(const Path& file, const std::vector<std::string>& names, std::vector<ImportedModule> imports,
                      bool is_guarded) {
    Node& node = nodes_[file];
    node.path = file;
    node.imports = std::move(imports);
    node.is_guarded = is_guarded;
    if (!names.empty()) node.module = names.front();
    for (const std::string& name : names) modules_.emplace(name, &node);
}

// The file that holds `qualified`, or the module in it: "pkg.model.Net" is in pkg/model.py. A program also finds the
// files beside it.
const ImportGraph::Node* ImportGraph::find(std::string_view qualified, const Node& importer, bool& by_path) const {
    // Each of its beginnings is looked for, and no longer one is the path of a file.
    constexpr std::size_t kLongestModule = 1024;
    for (std::string_view name = qualified.substr(0, kLongestModule); !name.empty();
         name = name.substr(0, name.rfind('.') == name.npos ? 0 : name.rfind('.'))) {
        by_path = true;
        if (auto found = modules_.find(name); found != modules_.end()) return found->second;
        by_path = false;
        Path beside(name);
        std::replace(beside.begin(), beside.end(), '.', '/');
        beside = base::join(base::directory_below(importer.path), beside);
        for (const Path& file : {beside + ".py", base::join(beside, Path(kPackageFile))}) {
            if (auto found = nodes_.find(file); found != nodes_.end()) return &found->second;
        }
    }
    return nullptr;
}

void ImportGraph::finish() {
    for (auto& [path, node] : nodes_) {
        for (const ImportedModule& import : node.imports) {
            bool by_path = false;
            const Node* file = find(import.name, node, by_path);
            if (file == nullptr) {
                node.external.push_back(import.name);
                continue;
            }
            if (file == &node) continue;
            node.files.push_back(file);
            if (import.always) {
                node.always.push_back(file);
                add_packages_of(*file, node.always);
            }
            if (import.at_load) {
                node.at_load.push_back(file);
                add_packages_of(*file, node.at_load);
            }
            Node& imported = nodes_.at(file->path);
            imported.is_imported = true;
            imported.is_imported_by_path |= by_path;
        }
    }
}

bool ImportGraph::is_program(const Path& file) const {
    const auto found = nodes_.find(file);
    if (found == nodes_.end()) return false;
    const Node& node = found->second;
    return node.is_guarded || (!node.is_imported && outermost_package(file) == nullptr);
}

// The packages around a file run before it.
void ImportGraph::add_packages_of(const Node& file, std::vector<const Node*>& out) const {
    for (Path directory = base::directory_below(file.path);; directory = base::directory_below(directory)) {
        const auto package = nodes_.find(base::join(directory, Path(kPackageFile)));
        if (package == nodes_.end()) return;
        out.push_back(&package->second);
        if (directory.empty()) return;
    }
}

std::vector<const ImportGraph::Node*> ImportGraph::reached(const Path& file,
                                                           std::vector<const Node*> Node::*edges) const {
    const auto found = nodes_.find(file);
    if (found == nodes_.end()) return {};
    std::vector<const Node*> out{&found->second};
    std::set<const Node*> seen{&found->second};
    for (std::size_t i = 0; i < out.size(); ++i) {
        for (const Node* next : out[i]->*edges) {
            if (seen.insert(next).second) out.push_back(next);
        }
    }
    return out;
}

std::vector<Path> ImportGraph::paths_reached(const Path& file, std::vector<const Node*> Node::*edges) const {
    std::vector<Path> out;
    for (const Node* node : reached(file, edges)) out.push_back(node->path);
    return out;
}

std::vector<Path> ImportGraph::files_of(const Path& file) const { return paths_reached(file, &Node::files); }
std::vector<Path> ImportGraph::files_always_of(const Path& file) const { return paths_reached(file, &Node::always); }
std::vector<Path> ImportGraph::files_at_load_of(const Path& file) const { return paths_reached(file, &Node::at_load); }

std::vector<std::string> ImportGraph::external_of(const std::vector<const Node*>& nodes) {
    std::set<std::string> out;
    for (const Node* node : nodes) out.insert(node->external.begin(), node->external.end());
    return {out.begin(), out.end()};
}

std::vector<std::string> ImportGraph::loads(const Path& file) const { return external_of(reached(file, &Node::files)); }
std::vector<std::string> ImportGraph::loads_always(const Path& file) const {
    return external_of(reached(file, &Node::always));
}

std::vector<std::pair<std::string_view, std::string_view>> ImportGraph::external() const {
    std::vector<std::pair<std::string_view, std::string_view>> out;
    for (const auto& [path, node] : nodes_) {
        for (const std::string& import : node.external) out.emplace_back(path, import);
    }
    return out;
}

bool ImportGraph::imports_any(const Node& node, const std::vector<std::string>& modules) const {
    return std::any_of(node.external.begin(), node.external.end(), [&](const std::string& import) {
        return std::any_of(modules.begin(), modules.end(),
                           [&](const std::string& module) { return is_within(import, module); });
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
