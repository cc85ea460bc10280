// What is said when there is nothing to migrate, as of a directory that is not the project's.
#pragma once

#include <vector>

#include "base/message.h"
#include "migrator/project/project.h"

namespace migrator {

// Empty when there is code.
base::Message missing_code(const std::vector<Project>& projects);

}  // namespace migrator
