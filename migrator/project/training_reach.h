// TrainingReach: what programs of a project that train load, and which functions run in each round of their loops.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "migrator/project/job.h"
#include "migrator/report/report.h"

namespace migrator {

class TrainingReach {
public:
    using Code = std::vector<std::pair<base::Path, const TrainingCode*>>;  // of the files of the project
    // `prefix`: of paths in the report, as of the project.
    TrainingReach(const ImportGraph& imports, const Code& code, base::Path prefix = {});

    // Whether a finding of a file counts, as far as that depends on where training comes. By which way it comes is added
    // to its message, unless the file trains itself.
    bool keep(const base::Path& file, Finding& finding) const;

private:
    void follow_calls(const Code& code);
    base::Message way_here(const ImportGraph::Way& way) const;

    base::Path prefix_;
    std::map<base::Path, ImportGraph::Way> files_;
    std::set<std::string, std::less<>> running_;  // functions that each round of a loop calls
};

// Takes away the findings that do not count. `facts` and `files`: of the jobs, in their order.
void keep_where_training_comes(const std::vector<Job>& jobs, const std::vector<JobFacts>& facts,
                               std::vector<ReportFile>& files);

}  // namespace migrator
