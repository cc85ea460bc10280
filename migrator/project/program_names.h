// ProgramNames: which Python file of a project a command means.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "migrator/source/discovery.h"
#include "migrator/start/started_program.h"

namespace migrator {

class ProgramNames {
public:
    // Of the files that are analysed.
    explicit ProgramNames(const FileList& files);

    // `text`: the file that has the command. Beside it, from the root of the project, or any that ends so. Of a module that
    // is a package, what it runs, which `started` names from then on.
    std::optional<base::Path> find(StartedProgram& started, const base::Path& text) const;
    bool contains(const base::Path& file) const;

private:
    std::optional<base::Path> find(const base::Path& named, const base::Path& text) const;

    std::map<std::string, std::vector<base::Path>> by_name_;  // sorted
};

}  // namespace migrator
