// Where the record of what a run applies is kept.
#pragma once

#include "migrator/app/options.h"

namespace migrator {

// DIR of --record; else beside the report; else, of changes in place, in .migrator of the project, which git is told to
// ignore. `report_directory`: empty: there is no report.
base::Result<base::Path> record_path(base::FileSystem& fs, const Options& options, const base::Path& report_directory,
                                     const base::Path& root);

}  // namespace migrator
