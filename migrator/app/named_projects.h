// find_projects: the projects that the command line names.
#pragma once

#include <vector>

#include "migrator/app/options.h"
#include "migrator/project/project.h"

namespace migrator {

// What each holds is found; what its files mean to each other is left to index_projects.
base::Result<std::vector<Project>> find_projects(base::FileSystem& fs, const base::DataStore& store,
                                                 const Options& options);

}  // namespace migrator
