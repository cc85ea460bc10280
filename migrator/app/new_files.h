// Files that a migration adds to a project.
#pragma once

#include <string>
#include <vector>

#include "migrator/app/distributed_main.h"
#include "migrator/project/helper_module.h"
#include "migrator/project/job.h"
#include "migrator/report/report.h"

namespace migrator {

struct NewFile {
    const Project* project = nullptr;
    base::Path path;  // relative to the project
    FileType type = FileType::python;
    std::string content;
    std::uint32_t mode = 0644;
    const char* rule = "";
    const char* message = "";
    std::vector<std::string> wanted_by;  // ids of the findings whose edits need it
    bool is_made = true;                 // else only proposals need it, and it stands in the report alone
};

// A helper module for every place where a file of `files`, which are those of the jobs, expects it and there is none yet.
base::Result<std::vector<NewFile>> helper_files(base::FileSystem& fs, const HelperModule& helper,
                                                const std::vector<Job>& jobs, const std::vector<ReportFile>& files,
                                                const std::vector<JobFacts>& facts);

// The script that starts the processes of a script that was made distributed.
NewFile launcher_file(const DistributedMain& distributed, const Project& project, const std::vector<ReportFile>& files);

}  // namespace migrator
