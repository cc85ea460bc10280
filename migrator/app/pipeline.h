// The straight line of a run: discover, read, rewrite, copy, report.
#pragma once

#include "base/data_store.h"
#include "migrator/app/options.h"
#include "migrator/report/report.h"

namespace migrator {

struct RunResult {
    Report report;
    RunTrace trace;
    std::string text;     // of Destination::text: the migrated source
    std::string warning;  // what must be said even when no summary is wanted; empty: nothing
};

// Everything a run does but print. A file that cannot be handled is a finding; an error means that nothing was
// written, or that the message says what was.
base::Result<RunResult> run(const Options& options, base::FileSystem& fs);

}  // namespace migrator
