// judge_by_programs: what the programs that people start mean for the verdict about a project.
#pragma once

#include <vector>

#include "migrator/project/job.h"
#include "migrator/report/report.h"

namespace migrator {

// Fills `project` of the report. Where the program that people start first takes an NPU by itself: makes the verdict, its
// sentence and what `--fail-on` counts those of the programs, not of all files. `rows`: of program_outcomes.
void judge_by_programs(const std::vector<Job>& jobs, const std::vector<ProgramOutcome>& rows, Report& report);

}  // namespace migrator
