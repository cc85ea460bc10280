// The edits of a file and the lines around them, as the report has them. Private to this folder.
#pragma once

#include "migrator/report/report.h"

namespace migrator {

// Fills `edits`, `excerpts` and what binds findings to each other. `file.findings` are those of the outcome, in its order.
void add_edits(const FileOutcome& outcome, const base::LineIndex& lines, ReportFile& file);

}  // namespace migrator
