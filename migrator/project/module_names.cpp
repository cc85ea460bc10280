#include "migrator/project/module_names.h"

#include <algorithm>

namespace migrator {
namespace {

// "a/b/__init__.py" -> "a.b", "a/b.py" -> "a.b"
std::string dotted(std::string_view path) {
    path.remove_suffix(std::string_view(".py").size());
    constexpr std::string_view kPackage = "__init__";
    if (path == kPackage) return {};
    if (path.ends_with("/__init__")) path.remove_suffix(kPackage.size() + 1);
    std::string name(path);
    std::replace(name.begin(), name.end(), '.', '-');
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
}

bool is_module(const FoundFile& file) { return file.type == FileType::python && file.path.ends_with(".py"); }

// The module and every package that it is in.
void add_with_packages(std::vector<std::string>& names, std::string name) {
    while (!name.empty()) {
        names.push_back(name);
        std::size_t dot = name.rfind('.');
        name.resize(dot == std::string::npos ? 0 : dot);
    }
}

std::string below(const std::string& package, const std::string& name) {
    return name.empty() ? package : package + "." + name;
}

constexpr std::string_view kSource = "src/";

}  // namespace

ModuleNames::ModuleNames(const FileList& files) {
    for (const FoundFile& file : files.files) {
        if (file.path == "__init__.py") root_package_ = base::file_name(files.root);
        if (file.path == "src/__init__.py") src_is_package_ = true;
    }
    // "." and ".." say nothing about the name of the package.
    if (root_package_.find('.') != std::string::npos) root_package_.clear();
    for (const FoundFile& file : files.files) {
        if (!is_module(file)) continue;
        const bool is_package = base::file_name(file.path) == "__init__.py";
        for (const std::string& name : names_of(file.path)) {
            add_with_packages(all_, name);
            if (is_package) packages_.push_back(name);
        }
    }
    std::sort(packages_.begin(), packages_.end());
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
}

std::vector<std::string> ModuleNames::names_of(std::string_view path) const {
    std::vector<std::string> out;
    if (!path.ends_with(".py")) return out;
    std::string name = dotted(path);
    if (!root_package_.empty()) out.push_back(below(root_package_, name));
    if (path.starts_with(kSource)) out.push_back(dotted(path.substr(kSource.size())));
    out.push_back(std::move(name));
    std::erase(out, "");
    return out;
}

std::string ModuleNames::of(std::string_view path) const {
    if (!path.ends_with(".py")) return {};
    if (!src_is_package_ && path.starts_with(kSource)) return dotted(path.substr(kSource.size()));
    std::string name = dotted(path);
    return root_package_.empty() ? name : below(root_package_, name);
}

}  // namespace migrator
