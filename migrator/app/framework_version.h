// framework_version: for which version of the framework a project is migrated, and why for that one.
#pragma once

#include <string>
#include <vector>

#include "base/message.h"
#include "migrator/app/options.h"
#include "migrator/app/project.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

struct FrameworkVersion {
    Version version;
    base::Message reason;  // "requirements.txt:3 asks for torch==2.1.0"
};

// The one the options name. Else the newest known one that the first requirement with a version allows: of the files
// of the projects, those near the root first, and then of the directories above up to the repository's root. Else the
// newest that the rules know.
FrameworkVersion framework_version(base::FileSystem& fs, const Options& options, const RuleSet& rules,
                                   const std::vector<Project>& projects);

}  // namespace migrator
