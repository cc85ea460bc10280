// find_own_choice: which programs of a project choose the device by themselves, the target among them, before its files are
// analysed one by one.
#pragma once

#include "migrator/project/project.h"

namespace migrator {

// Fills `own_programs` of all projects, which index_projects has seen.
base::Status find_own_choice(base::FileSystem& fs, int threads, const Knowledge& knowledge,
                             std::vector<Project>& projects);

}  // namespace migrator
