// The checks of input, output and report paths that come before anything is written.
#pragma once

#include "base/file_system.h"
#include "migrator/app/options.h"

namespace migrator {

// Fails with bad_input for a missing input, with usage for an output that cannot be used.
base::Status check_paths(base::FileSystem& fs, const Options& options);

// True when `inner`, which need not exist, is `outer` or lies in it, whatever links and ".." lead there.
bool is_inside(base::FileSystem& fs, const base::Path& inner, const base::Path& outer);

// `directory` and those above it, up to the one that holds `.git`, else to the root.
std::vector<base::Path> directories_above(base::FileSystem& fs, const base::Path& directory);

// "a//b/./c/../d" -> "a/b/d"; "." for the current directory.
base::Path normal_path(const base::Path& path);

}  // namespace migrator
