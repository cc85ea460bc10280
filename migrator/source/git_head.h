// The commit that a working tree is at, read from the files of git.
#pragma once

#include <string>

#include "base/file_system.h"

namespace migrator {

// Of the repository that `path` lies in; empty where there is none, or it has no commit that can be read.
std::string git_head(base::FileSystem& fs, const base::Path& path);

}  // namespace migrator
