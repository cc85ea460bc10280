// HelperModule: the module that the style portable adds to a project.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrator/project/project.h"
#include "migrator/rule/style.h"

namespace migrator {

class HelperModule {
public:
    // Of another style: a module without a name, which nothing needs. `store` must outlive the module.
    static base::Result<HelperModule> load(const base::DataStore& store, const Style& style);

    // Fails with usage when a project has a module of its own under this name.
    base::Status check(base::FileSystem& fs, const std::vector<Project>& projects) const;

    // Where it stands for this file, as its directory's package; empty: the directory is on the path.
    std::string package_for(const Project& project, const base::Path& file) const;

    // True when the new text of a file names the module and the old one did not.
    bool is_needed(std::string_view original, std::string_view rewritten) const;
    // The path of the module for this file, relative to the project.
    base::Path path_for(const Project& project, const base::Path& file) const;

    std::string_view source() const { return source_; }

private:
    std::string name_;
    std::string_view source_;
};

}  // namespace migrator
