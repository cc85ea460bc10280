// Where the files of a report or record are: a file from elsewhere must not choose which tree is changed.
#pragma once

#include "base/file_system.h"

namespace migrator {

struct ProjectRoot {
    base::Path path;
    // Named by the user, or around a record that lies in its .migrator. Otherwise hidden files are not touched.
    bool is_certain = false;
};

// `named`: by the user; it is taken as it is. Else `recorded`, when that is the directory around `holder` (which has the report
// or the record), or lies in it: a project beside its report. Anything else fails with usage, and so do hidden directories and
// the home directory.
base::Result<ProjectRoot> project_root(base::FileSystem& fs, const base::Path& named, const base::Path& recorded,
                                       const base::Path& holder);

}  // namespace migrator
