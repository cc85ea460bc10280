// unknown_packages: what projects import or ask for that neither a rule nor the list of packages without device code knows.
#pragma once

#include <vector>

#include "migrator/project/knowledge.h"
#include "migrator/project/project.h"
#include "migrator/report/unknown_package.h"

namespace migrator {

// Sorted: those that code imports first, then by name. Fails with rule_data.
base::Result<std::vector<UnknownPackageRow>> unknown_packages(base::FileSystem& fs,
                                                              const std::vector<Project>& projects,
                                                              const Knowledge& knowledge);

}  // namespace migrator
