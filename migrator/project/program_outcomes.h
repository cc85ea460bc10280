// program_outcomes: what is to be said of each program of the projects, from the files that it loads.
#pragma once

#include <vector>

#include "migrator/project/job.h"
#include "migrator/report/report.h"

namespace migrator {

// A program, and what is to be said of it.
struct JudgedProgram {
    const Project* project;
    const Program* program;
    ProgramOutcome outcome;
    std::size_t number = 0;  // among those of the report, from 0
};

// How a program loads a file of its project.
struct UsedFile {
    base::Path path;
    FileUse use;
};
// Of every file that it loads in some case.
std::vector<UsedFile> files_of(const Project& project, const Program& program);

// While `files` have every finding at each of its places.
std::vector<FileState> file_states(const std::vector<ReportFile>& files, const RuleSet& rules);

// `facts` and `states`: of the jobs, in their order. What is started first stands in front.
std::vector<JudgedProgram> program_outcomes(const std::vector<Job>& jobs, const std::vector<JobFacts>& facts,
                                            const std::vector<FileState>& states);

// What is said once is known by the finding of `files` that says it. `states`: as before that.
void name_findings_of_report(const std::vector<ReportFile>& files, const std::vector<FileState>& states,
                             std::vector<JudgedProgram>& programs);

}  // namespace migrator
