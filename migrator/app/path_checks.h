// The checks of input, output and report paths that come before anything is written.
#pragma once

#include "base/file_system.h"
#include "migrator/app/options.h"

namespace migrator {

// Fails with bad_input for a missing input, with usage for an output that cannot be used.
base::Status check_paths(base::FileSystem& fs, const Options& options);

// Fails with usage where skeletons are wanted and have no place. Where a run that died had done its work, its marker goes.
base::Status check_skeleton_directory(base::FileSystem& fs, const Options& options);

// The files behind links that the user has named, so that in place the files change and the links stay.
base::Status follow_named_links(base::FileSystem& fs, std::vector<base::Path>& paths);

}  // namespace migrator
