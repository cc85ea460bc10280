// What is no project, although the user has named it.
#pragma once

#include "base/file_system.h"
#include "migrator/source/discovery.h"

namespace migrator {

// Fails with bad_input, and says what to do, for a path that is not there or an address of a repository.
base::Status check_is_there(base::FileSystem& fs, const base::Path& path);

// Fails with bad_input, and says what to do, for an archive, weights, another file of no kind that is analysed or that says nothing
// without its project, and for a directory without a file of such a kind. `files`: what was found there.
base::Status check_is_project(base::FileSystem& fs, const base::Path& path, bool is_directory, const FileList& files);

}  // namespace migrator
