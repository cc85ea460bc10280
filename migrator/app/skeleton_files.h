// --skeleton: skeletons of the project's custom operators onto the disk.
#pragma once

#include <optional>
#include <vector>

#include "base/file_set.h"
#include "migrator/app/options.h"
#include "migrator/project/knowledge.h"
#include "migrator/project/operators.h"

namespace migrator {

// Complete, and not published yet. Nothing when the options ask for none, or there are no operators; what there is to say of it goes to
// the `notes`.
base::Result<std::optional<base::FileSet>> staged_skeletons(base::FileSystem& fs, const Options& options,
                                                            const Knowledge& knowledge,
                                                            const std::vector<ProjectOperator>& operators,
                                                            std::vector<base::Message>& notes);

}  // namespace migrator
