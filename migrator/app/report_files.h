// The files of a report on the disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrator/app/options.h"
#include "migrator/report/report.h"

namespace migrator {

// Writes the formats that were asked for, or the usual ones, into the directory, each whole or not at all, and returns their paths, the
// one to open first in front.
base::Result<std::vector<std::string>> write_report_files(base::FileSystem& fs, const base::Path& directory,
                                                          const std::vector<std::string>& formats, const Report& report,
                                                          const base::DataStore& templates);

}  // namespace migrator
