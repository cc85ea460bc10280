// The dotted names under which a project's own Python files are imported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrator/source/discovery.h"

namespace migrator {

class ModuleNames {
public:
    ModuleNames() = default;
    // Names count from the directories that are on sys.path in practice: the root, `src/` in it, and, when the root is
    // itself a package, the directory above it.
    explicit ModuleNames(const FileList& files);

    // All modules and packages, also packages without an __init__.py; sorted, without duplicates.
    const std::vector<std::string>& all() const { return all_; }
    // Those with an __init__.py; sorted.
    const std::vector<std::string>& packages() const { return packages_; }
    // The name that relative imports in this file count from; empty for what is no module. Where a directory cannot be named
    // in an import, as in my-tool/v1.2/run.py, it is "my-tool.v1-2.run": a module all the same for what lies beside it.
    std::string of(std::string_view path) const;
    // All names under which the file may be imported.
    std::vector<std::string> names_of(std::string_view path) const;

private:
    std::string root_package_;     // "pkg" when the root directory pkg has an __init__.py
    bool src_is_package_ = false;  // src/__init__.py: then `src` is part of the names
    std::vector<std::string> all_;
    std::vector<std::string> packages_;
};

}  // namespace migrator
