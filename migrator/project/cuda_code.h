// find_cuda_code: follows CUDA-only code through the files of a project, before they are analysed one by one.
#pragma once

#include "migrator/project/project.h"

namespace migrator {

// Fills `cuda_names` of all projects, which index_projects has seen.
base::Status find_cuda_code(base::FileSystem& fs, int threads, const Knowledge& knowledge,
                            std::vector<Project>& projects);

}  // namespace migrator
