// Where git keeps what belongs to a work tree: read from its files, without git.
#pragma once

#include <optional>

#include "base/file_system.h"

namespace base {

// Of the work tree whose root this is: `.git`, or the directory that such a file names (worktrees, submodules).
std::optional<Path> git_directory(FileSystem& fs, const Path& tree);

// What all worktrees of a repository share: branches and settings. Of a repository with one, the same directory.
Path git_common_directory(FileSystem& fs, const Path& directory);

// Without the line's end; nullopt when there is no such file.
std::optional<std::string> first_line(FileSystem& fs, const Path& path);

}  // namespace base
