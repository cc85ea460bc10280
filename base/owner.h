// belongs_to_user: whose files may say what a program does.
#pragma once

#include "base/file_system.h"

namespace base {

// Whether what has this name, and what it leads to when it is a link, is the user's own or root's; of root that `sudo` has made,
// also of the user behind it: as git has it with its safe directories. Only the machine's file system knows owners; in any other
// all is the user's.
bool belongs_to_user(FileSystem& fs, const Path& path);

}  // namespace base
