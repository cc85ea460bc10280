// The comparison as a whole: a sheet of where the time went, and the table of the terminal.
#pragma once

#include "migrator/compare/sheet.h"
#include "migrator/profile/side_metrics.h"

namespace migrator {

// Rows that are 0 on both sides are left out. Tabs in front of a name say how deep it stands.
Sheet overall_sheet(const SideMetrics& base, const SideMetrics& compared);

// One row for each side, in seconds.
Sheet distribution_table(const SideMetrics& base, const SideMetrics& compared);

// Every figure under the name that msprof-analyze gives it.
void write_metrics(base::JsonWriter& out, const SideMetrics& metrics);

}  // namespace migrator
