// The files of a report on the disk.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_set.h"
#include "migrator/app/options.h"
#include "migrator/report/report.h"

namespace migrator {

// In the formats that were asked for, or the usual ones; complete, and not published yet. Nothing when no directory for a report was
// named. The paths that they get go to `written`, the one to open first in front.
base::Result<std::optional<base::FileSet>> staged_report(base::FileSystem& fs, const Options& options,
                                                         const Report& report, const base::DataStore& templates,
                                                         std::vector<std::string>& written);

}  // namespace migrator
