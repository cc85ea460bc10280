// --skeleton: skeletons of the project's custom operators onto the disk.
#pragma once

#include <vector>

#include "migrator/app/options.h"
#include "migrator/project/knowledge.h"
#include "migrator/project/operators.h"

namespace migrator {

// Into a directory that is new or empty, which check_paths has seen to; what there is to say of it goes to the `notes`.
base::Status write_skeletons(base::FileSystem& fs, const Options& options, const Knowledge& knowledge,
                             const std::vector<ProjectOperator>& operators, std::vector<base::Message>& notes);

}  // namespace migrator
