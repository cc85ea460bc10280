// The report as JSON values, shared by report.json and the data of the HTML page.
#pragma once

#include "base/json_writer.h"
#include "migrator/report/report.h"

namespace migrator {

// Writes the members of the report's object, which must be open, up to and without "files".
void write_report_head(base::JsonWriter& json, const Report& report);
// Writes the members of the file's object, which must be open.
void write_report_file(base::JsonWriter& json, const ReportFile& file);

}  // namespace migrator
