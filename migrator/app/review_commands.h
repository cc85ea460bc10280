// The commands that work with a report: apply, undo, reapply, serve, report diff.
#pragma once

#include <string>

#include "migrator/app/options.h"

namespace migrator {

// What a command prints.
base::Result<std::string> review_command(const Options& options, base::FileSystem& fs);

// The ids of a report's findings: of --baseline.
base::Result<Baseline> baseline_of(base::FileSystem& fs, const base::Path& report);

}  // namespace migrator
