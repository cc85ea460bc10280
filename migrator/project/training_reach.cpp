#include "migrator/project/training_reach.h"

namespace migrator {

using base::Path;

TrainingReach::TrainingReach(const ImportGraph& imports, const Code& code, Path prefix) : prefix_(std::move(prefix)) {
    std::vector<Path> roots;
    for (const auto& [path, file] : code) {
        if (file->trains) roots.push_back(path);
    }
    for (Path& program : imports.programs_loading(roots)) roots.push_back(std::move(program));
    files_ = imports.ways_from(roots);
    follow_calls(code);
}

void TrainingReach::follow_calls(const Code& code) {
    std::map<std::string_view, const std::vector<std::string>*> calls;
    std::vector<std::string_view> pending;
    for (const auto& [path, file] : code) {
        if (!files_.contains(path)) continue;
        pending.insert(pending.end(), file->in_rounds.begin(), file->in_rounds.end());
        for (const TrainingCode::Function& function : file->functions) {
            calls[function.name] = &function.calls;
            if (function.is_of_module) pending.push_back(function.name);
        }
    }
    while (!pending.empty()) {
        const std::string_view name = pending.back();
        pending.pop_back();
        const auto function = calls.find(name);
        if (function == calls.end() || !running_.emplace(name).second) continue;
        pending.insert(pending.end(), function->second->begin(), function->second->end());
    }
}

bool TrainingReach::keep(const Path& file, Finding& finding) const {
    if (!finding.needs_training) return true;
    const auto way = files_.find(file);
    const std::string& function = *finding.needs_training;
    if (way == files_.end() || (!function.empty() && !running_.contains(function))) return false;
    if (way->second.root != file) finding.message.add(way_here(way->second));
    return true;
}

base::Message TrainingReach::way_here(const ImportGraph::Way& way) const {
    const Path program = base::join(prefix_, way.root);
    if (way.importer == way.root) return {"{program}, which trains, imports this file.", {{"program", program}}};
    return {"{program}, which trains, imports this file through {file}.",
            {{"program", program}, {"file", base::join(prefix_, way.importer)}}};
}

void keep_where_training_comes(const std::vector<Job>& jobs, const std::vector<JobFacts>& facts,
                               std::vector<ReportFile>& files) {
    std::map<const Project*, TrainingReach::Code> code;
    for (std::size_t i = 0; i < jobs.size(); ++i)
        code[jobs[i].project].emplace_back(jobs[i].file->path, &facts[i].training);
    std::map<const Project*, TrainingReach> reaches;
    for (const auto& [project, of_files] : code)
        reaches.emplace(project, TrainingReach(project->imports, of_files, project->prefix));
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const TrainingReach& reach = reaches.at(jobs[i].project);
        std::erase_if(files[i].findings,
                      [&](ReportFinding& item) { return !reach.keep(jobs[i].file->path, item.outcome.finding); });
    }
}

}  // namespace migrator
