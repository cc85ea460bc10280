#include "migrator/project/job.h"

#include <algorithm>

namespace migrator {

std::unique_ptr<ParsedFile> Job::take_parsed() const {
    const auto place = static_cast<std::size_t>(file - project->files.files.data());
    return place < project->parsed.size() ? std::move(project->parsed[place]) : nullptr;
}

bool Job::is_program() const { return file->type == FileType::notebook || project->imports.is_program(file->path); }

std::vector<Job> jobs_of(std::vector<Project>& projects) {
    std::vector<Job> jobs;
    for (Project& project : projects) {
        for (const FoundFile& file : project.files.files) {
            if (file.analysed) jobs.push_back({&project, &file});
        }
    }
    auto shown = [](const Job& job) { return job.project->shown(job.file->path); };
    std::stable_sort(jobs.begin(), jobs.end(), [&](const Job& a, const Job& b) { return shown(a) < shown(b); });
    auto same = [&](const Job& a, const Job& b) { return shown(a) == shown(b); };
    jobs.erase(std::unique(jobs.begin(), jobs.end(), same), jobs.end());
    return jobs;
}

}  // namespace migrator
