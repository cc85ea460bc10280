// operator_calls: where the Python files of a project call the operators that its C++ sources register.
#pragma once

#include <vector>

#include "base/file_system.h"
#include "migrator/app/job.h"
#include "migrator/app/knowledge.h"
#include "migrator/report/report.h"

namespace migrator {

// Adds to the message of every finding about a registered operator from where it is called. `files`: of the jobs, in
// their order. A project that registers nothing costs nothing.
void add_operator_calls(const Knowledge& knowledge, base::FileSystem& fs, const std::vector<Job>& jobs,
                        std::vector<ReportFile>& files);

}  // namespace migrator
