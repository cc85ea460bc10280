// missing_path: what is said of an input that is not there, with the name next to it that was probably meant.
#pragma once

#include "base/file_system.h"

namespace base {

Error missing_path(FileSystem& fs, const Path& path);

}  // namespace base
