// Judgement: what the programs that people start mean for a report.
#pragma once

#include <vector>

#include "migrator/project/program_scope.h"
#include "migrator/report/report.h"

namespace migrator {

class Judgement {
public:
    // Lowers what the programs do not come to, while `files` have every finding at each of its places; see narrow. `facts` and
    // `files`: of the jobs, in their order.
    Judgement(const std::vector<Job>& jobs, const std::vector<JobFacts>& facts, const RuleSet& rules, bool is_whole,
              std::vector<ReportFile>& files);

    // What is said once is known by the finding of `files` that says it.
    void name_findings(const std::vector<ReportFile>& files) { name_findings_of_report(files, states_, programs_); }

    // Fills `programs` of an analysis, and of one project `project`. Where the report is about programs, its verdict and sentence are those
    // of the first. `applied`: the edits are made.
    void fill(bool applied, Report& report) const;

private:
    std::vector<FileState> states_;
    std::vector<JudgedProgram> programs_;
    ProgramScope scope_;  // of `programs_`
};

}  // namespace migrator
