// distribute_main: the script that --distributed names, made distributed before the migration looks at it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "migrator/app/options.h"
#include "migrator/edit/edit.h"
#include "migrator/project/knowledge.h"
#include "migrator/project/project.h"
#include "migrator/rewrite/file_outcome.h"

namespace migrator {

struct DistributedMain {
    base::Path path;  // of the script, relative to the project
    SourceFile original;
    std::vector<Edit> edits;  // of its text
    base::Path launcher;      // the script that starts it: path, and what it says
    std::string launcher_text;
    std::vector<base::Message> notes;
};

// Puts the distributed script in the place of the one the project has. nullopt when the options ask for none. Fails with
// usage when there is no such script, with unsupported and all reasons when it cannot be done right.
base::Result<std::optional<DistributedMain>> distribute_main(base::FileSystem& fs, const Options& options,
                                                             const Knowledge& knowledge, Project& project);

// Findings of the distributed script, where they are in the original one.
void to_original_places(FileOutcome& outcome, const DistributedMain& main);

}  // namespace migrator
