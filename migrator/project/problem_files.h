// What the report says of a file as a whole, where no rule speaks.
#pragma once

#include <string>
#include <vector>

#include "migrator/project/project.h"
#include "migrator/report/report.h"

namespace migrator {

FindingOutcome file_finding(std::string rule, Severity severity, const base::Path& path, base::Message message);

// A file of which there is nothing else to say.
ReportFile problem_file(const base::Path& path, FileType type, std::string rule, base::Message message,
                        Severity severity = Severity::error);

// `copies`: the run makes a copy of the project, in which the file is missing.
base::Message unreadable_message(const base::Error& error, bool copies);

// Adds the files of the project that could not be read or are too large to analyse, and code that was left out.
void add_problem_files(const Project& project, bool copies, std::vector<ReportFile>& out);

}  // namespace migrator
