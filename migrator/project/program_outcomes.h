// program_outcomes: what is to be said of each program of the projects, from the files that it loads.
#pragma once

#include <vector>

#include "migrator/project/job.h"
#include "migrator/report/report.h"

namespace migrator {

// While `files` have every finding at each of its places.
std::vector<FileState> file_states(const std::vector<ReportFile>& files, const RuleSet& rules);

// `facts`, `files` and `states`: of the jobs, in their order; `files` with the findings of the report. What is started first
// stands in front.
std::vector<ProgramOutcome> program_outcomes(const std::vector<Job>& jobs, const std::vector<JobFacts>& facts,
                                             const std::vector<ReportFile>& files, std::vector<FileState> states);

}  // namespace migrator
