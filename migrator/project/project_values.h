// find_value_ends: follows the constants of a project from file to file, before the files are analysed one by one.
#pragma once

#include "migrator/project/project.h"

namespace migrator {

// Fills `value_ends` of all projects, which index_projects has seen. What passes through more than a few functions is
// not followed to its end.
base::Status find_value_ends(base::FileSystem& fs, int threads, const Knowledge& knowledge,
                             std::vector<Project>& projects);

}  // namespace migrator
