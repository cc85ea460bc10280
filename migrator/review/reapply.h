// reapply: recorded edits merged into files that have changed since.
#pragma once

#include <vector>

#include "migrator/review/changes.h"

namespace migrator {

struct Reapplied {
    std::vector<FileChange> changes;
    std::vector<LeftOut> left_out;  // what no longer fits, or is there already
    std::size_t findings = 0;       // that are made
};

// The recorded edits merged into the files below `root` as they are now, see moved_edits(). All edits of a finding are made, or
// none; a Python file that parses still does.
base::Result<Reapplied> reapply(base::FileSystem& fs, const base::Path& record, const base::Path& root);

}  // namespace migrator
