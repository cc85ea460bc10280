// Project: one path of the command line: its files, the names of its modules and of the members of its classes.
#pragma once

#include <string>
#include <vector>

#include "migrator/app/module_names.h"
#include "migrator/app/options.h"
#include "migrator/source/discovery.h"

namespace migrator {

struct Project {
    base::Path argument;       // as named on the command line
    bool is_directory = true;  // else a single file
    base::Path prefix;         // of paths in the report; empty when they are relative to the root
    FileList files;
    ModuleNames modules;
    std::vector<std::string> members;  // sorted; see MatchContext::project_members

    base::Path shown(const base::Path& path) const { return base::join(prefix, path); }
    base::Path on_disk(const base::Path& path) const { return base::join(files.root, path); }
};

// Finds and reads what the options name; `members` are still empty.
base::Result<std::vector<Project>> find_projects(base::FileSystem& fs, const Options& options);

// Fills `members` of all projects, reading their Python files on several threads.
base::Status collect_members(base::FileSystem& fs, const Options& options, std::vector<Project>& projects);

// What a person should know of the files that were not analysed.
std::vector<std::string> notes_of(const Project& project, Command command);

}  // namespace migrator
