#include "migrator/project/job.h"

#include <algorithm>
#include <map>
#include <utility>

namespace migrator {
namespace {

// Itself and what it loads; what cannot be read is not in the graph of imports.
std::vector<base::Path> files_of(const Job& job) {
    std::vector<base::Path> files = job.project->imports.files_of(job.file->path);
    return files.empty() ? std::vector<base::Path>{job.file->path} : files;
}

}  // namespace

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

std::vector<TransferRow> transfer_rows(const std::vector<Job>& jobs, const std::vector<JobFacts>& facts) {
    std::map<std::pair<const Project*, base::Path>, const TransferFacts*> by_file;
    for (std::size_t i = 0; i < jobs.size(); ++i) by_file[{jobs[i].project, jobs[i].file->path}] = &facts[i].transfer;
    std::vector<TransferRow> rows;
    for (const Job& job : jobs) {
        if (!job.is_program()) continue;
        std::vector<const TransferFacts*> loaded;
        for (const base::Path& file : files_of(job)) {
            const auto found = by_file.find({job.project, file});
            if (found != by_file.end()) loaded.push_back(found->second);
        }
        rows.push_back(transfer_row(job.project->shown(job.file->path), loaded));
    }
    return rows;
}

}  // namespace migrator
