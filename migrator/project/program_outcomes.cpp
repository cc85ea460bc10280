#include "migrator/project/program_outcomes.h"

#include <algorithm>
#include <map>
#include <set>

namespace migrator {
namespace {

using base::Path;

struct KnownFile {
    const TransferFacts* transfer;
    FileState state;
};
using KnownFiles = std::map<Path, KnownFile>;  // of a project

ProgramOutcome outcome_of(const Project& project, const Program& program, const KnownFiles& known) {
    // What cannot be read is not in the graph of imports.
    std::vector<Path> all = project.imports.files_of(program.path);
    if (all.empty()) all.push_back(program.path);
    std::map<Path, std::vector<bool>> certain;
    for (ProgramReach::Loaded& file : project.reach->of(program.path, program.function))
        certain.emplace(*file.path, std::move(file.called));
    std::vector<const TransferFacts*> transfers;
    std::vector<LoadedFile> files;
    for (const Path& path : all) {
        const auto found = known.find(path);
        if (found == known.end()) continue;
        transfers.push_back(found->second.transfer);
        LoadedFile& file = files.emplace_back(LoadedFile{&found->second.state});
        file.is_program = path == program.path;
        const auto called = certain.find(path);
        file.always = called != certain.end();
        if (file.always) file.called = std::move(called->second);
    }
    ProgramOutcome out;
    out.transfer = transfer_row(project.shown(program.path), transfers);
    out.command = program.command;
    out.rank = static_cast<std::uint64_t>(program.rank);
    out.origin = program.origin;
    out.uses_framework = program.uses_framework;
    const auto own = project.own_programs.programs.find(program.path);
    const bool chooses = own != project.own_programs.programs.end();
    if (chooses) out.chooses_at = own->second.sign;
    const auto library = project.own_programs.by_library.find(program.path);
    if (library != project.own_programs.by_library.end()) out.library_at = library->second;
    judge(files, chooses && own->second.asks, out);
    if (out.verdict != ProgramVerdict::runs_with) return out;
    // The project's own start is better than what can be put together.
    if (!program.target_script.empty()) out.with = {program.target_script};
    else if (out.with.empty()) out.with = own->second.options;
    return out;
}

// What is said once is known by the finding that says it.
void name_findings_of_report(const std::vector<ReportFile>& files, std::vector<FileState>& states) {
    std::set<std::string_view> ids;
    std::map<std::pair<std::string_view, std::string_view>, std::string_view> said;
    for (const ReportFile& file : files) {
        for (const ReportFinding& item : file.findings) {
            const Finding& finding = item.outcome.finding;
            ids.insert(item.id);
            said.try_emplace({finding.rule, finding.subject}, item.id);
        }
    }
    for (FileState& state : states) {
        for (OpenItem& item : state.open) {
            const auto found = ids.contains(item.id) ? said.end() : said.find({item.rule, item.subject});
            if (found != said.end()) item.id = found->second;
        }
    }
}

}  // namespace

std::vector<FileState> file_states(const std::vector<ReportFile>& files, const RuleSet& rules) {
    KnownRules known{rules.packages.status(), {}};
    for (const ReportFile& file : files) {
        for (const ReportFinding& item : file.findings) {
            const Rule* rule = rules.find_rule(item.outcome.finding.rule);
            if (rule != nullptr && rule->cuda_only) known.cuda_only.insert(rule->id);
        }
    }
    std::vector<FileState> out;
    for (const ReportFile& file : files) out.push_back(file_state(file, known));
    return out;
}

std::vector<ProgramOutcome> program_outcomes(const std::vector<Job>& jobs, const std::vector<JobFacts>& facts,
                                             const std::vector<ReportFile>& files, std::vector<FileState> states) {
    name_findings_of_report(files, states);
    std::map<const Project*, KnownFiles> known;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        known[jobs[i].project].emplace(jobs[i].file->path, KnownFile{&facts[i].transfer, std::move(states[i])});
    }
    std::vector<ProgramOutcome> rows;
    for (const auto& [project, of_project] : known) {
        for (const Program& program : project->programs) {
            // A file that two paths name is analysed as one of the first.
            if (of_project.contains(program.path)) rows.push_back(outcome_of(*project, program, of_project));
        }
    }
    std::ranges::stable_sort(rows, {}, &ProgramOutcome::rank);
    return rows;
}

}  // namespace migrator
