#include "migrator/app/new_files.h"

#include <algorithm>
#include <map>

namespace migrator {

base::Result<std::vector<NewFile>> helper_files(base::FileSystem& fs, const HelperModule& helper,
                                                const std::vector<Job>& jobs, const std::vector<ReportFile>& files,
                                                const std::vector<JobFacts>& facts) {
    std::map<base::Path, NewFile> wanted;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        for (const ReportEdit& edit : files[i].edits) {
            if (!helper.is_needed(edit.old_text, edit.new_text)) continue;
            const Project& project = *jobs[i].project;
            const base::Path path = helper.path_for(project, jobs[i].file->path);
            auto [at, is_first] = wanted.try_emplace(project.shown(path));
            NewFile& file = at->second;
            if (is_first)
                file = {&project, path, FileType::python, std::string(helper.source()), 0644, "", "", {}, false};
            file.is_made |= facts[i].needs_helper;
            file.wanted_by.insert(file.wanted_by.end(), edit.findings.begin(), edit.findings.end());
        }
    }
    std::vector<NewFile> out;
    for (auto& [shown, file] : wanted) {
        TRY_ASSIGN(const bool is_there, base::is_there(fs, file.project->on_disk(file.path)));
        if (is_there) continue;
        std::sort(file.wanted_by.begin(), file.wanted_by.end());
        file.wanted_by.erase(std::unique(file.wanted_by.begin(), file.wanted_by.end()), file.wanted_by.end());
        file.rule = "file.helper_module";
        file.message =
            file.is_made
                ? "A new file: the module that the migrated files use to reach the accelerator of the machine."
                : "The module that migrated files use to reach the accelerator of the machine. No edit that is "
                  "made needs it; it comes with the first accepted proposal that does.";
        out.push_back(std::move(file));
    }
    return out;
}

NewFile launcher_file(const DistributedMain& distributed, const Project& project,
                      const std::vector<ReportFile>& files) {
    NewFile out{&project,
                distributed.launcher,
                FileType::shell,
                distributed.launcher_text,
                0755,
                "file.launcher",
                "A new file: the script that starts one process per device.",
                {}};
    // The finding that says that the script is distributed is its first.
    const auto script = std::ranges::find(files, project.shown(distributed.path), &ReportFile::path);
    if (script != files.end()) out.wanted_by = {script->findings.front().id};
    return out;
}

}  // namespace migrator
