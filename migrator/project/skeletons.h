// Skeletons: a Python package with a file for each operator of a project: a fallback in operators of PyTorch, or a stub.
#pragma once

#include <string>
#include <vector>

#include "base/data_store.h"
#include "migrator/project/operators.h"

namespace migrator {

struct SkeletonFile {
    std::string name;
    std::string text;
};

// `package`: the name of the directory that it is written to; `project`: what was analysed.
std::vector<SkeletonFile> skeleton_package(const std::vector<ProjectOperator>& operators, const RuleSet& rules,
                                           const base::DataStore& store, std::string_view package,
                                           std::string_view project);

}  // namespace migrator
