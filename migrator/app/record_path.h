// Where the record of what a run applies is kept.
#pragma once

#include "migrator/app/options.h"

namespace migrator {

// Inside of a project; runs leave it out.
inline constexpr std::string_view kRecordFolder = ".migrator";

// DIR of --record; else beside the report; else, of changes in place, in .migrator of the project, which git is told to
// ignore. `report_directory`: empty: there is no report.
base::Result<base::Path> record_path(base::FileSystem& fs, const Options& options, const base::Path& report_directory,
                                     const base::Path& root);

// After an `undo`: removes .migrator when nothing else is in it.
base::Status remove_empty_record_folder(base::FileSystem& fs, const base::Path& record);

}  // namespace migrator
