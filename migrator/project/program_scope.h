// ProgramScope: the programs that a report is about, and which of its findings they come to.
#pragma once

#include <string>
#include <vector>

#include "migrator/project/program_outcomes.h"

namespace migrator {

struct ProgramScope {
    std::vector<const JudgedProgram*> programs;  // the first in front
    std::vector<const JudgedProgram*> others;    // what only they load is not lost sight of
    bool is_narrow = false;                      // the report is about what they load, and not about all files
};

// Whether a file counts where a program comes to it; what else there is, is installed or built with them.
bool is_run_by_programs(const base::Path& path, FileType type);

// Makes these programs the first of their project, in this order, and the only ones that a report is about: the commands
// that a package installs, or the paths of Python files and notebooks. Fails with usage.
base::Status name_programs(const std::vector<std::string>& names, std::vector<Project>& projects);

// Those that people start; those that only their names show count where there are no others. `all`: of
// program_outcomes. `is_whole`: the report is about all files, whoever loads them.
ProgramScope scope_of(const std::vector<JudgedProgram>& all, bool is_whole);

// Says of each file which of the programs load it. Where the report is about them, says of each finding how they come to
// it: what they do not always run is a warning at most; what no program loads, and what is for tests, is for information,
// and no work. `files`: of the jobs, in their order.
void narrow(const ProgramScope& scope, const std::vector<Job>& jobs, const AdaptedNames& words,
            std::vector<ReportFile>& files);

}  // namespace migrator
