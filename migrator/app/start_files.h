// start_files: the scripts of --start-script, one beside each program that the project starts or that trains.
#pragma once

#include <vector>

#include "base/message.h"
#include "migrator/app/new_files.h"
#include "migrator/app/options.h"
#include "migrator/project/project_conditions.h"
#include "migrator/start/start_facts.h"

namespace migrator {

struct StartFiles {
    std::vector<NewFile> files;
    std::vector<base::Message> notes;
};

// Nothing when the options do not ask for it. `facts`: of the jobs; `conditions` have watched mentions_of() and have
// looked at all files.
base::Result<StartFiles> start_files(base::FileSystem& fs, const Options& options, const Knowledge& knowledge,
                                     const ProjectConditions& conditions, const std::vector<Job>& jobs,
                                     const std::vector<JobFacts>& facts);

// The texts that decide on variables of the scripts when a project has them.
std::vector<std::string> mentions_of(const StartFacts& facts);

}  // namespace migrator
