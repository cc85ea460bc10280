#include "migrator/project/program_outcomes.h"

#include <algorithm>
#include <map>
#include <set>

namespace migrator {
namespace {

using base::Path;

struct KnownFile {
    const TransferFacts* transfer;
    const FileState* state;
};
using KnownFiles = std::map<Path, KnownFile>;  // of a project

// Places of what the project asks for in requirements, images and scripts of an NPU stack that is out of use.
std::vector<std::string> asked_of_old_stack(const Project& project, const KnownFiles& known) {
    std::vector<std::string> out;
    for (const FoundFile& file : project.files.files) {
        const auto found = is_python_code(file.type) ? known.end() : known.find(file.path);
        if (found == known.end()) continue;
        for (const OpenItem& item : found->second.state->open) {
            if (item.is_of_old_stack) out.push_back(item.place);
        }
    }
    return out;
}

ProgramOutcome outcome_of(const Project& project, const Program& program, const KnownFiles& known,
                          const std::vector<std::string>& old) {
    std::vector<const TransferFacts*> transfers;
    std::vector<LoadedFile> files;
    for (UsedFile& used : files_of(project, program)) {
        const auto found = known.find(used.path);
        if (found == known.end()) continue;
        transfers.push_back(found->second.transfer);
        files.push_back({found->second.state, std::move(used.use)});
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
    judge(files, chooses && own->second.asks, old, out);
    if (out.verdict != ProgramVerdict::runs_with) return out;
    // The project's own start is better than what can be put together.
    if (!program.target_script.empty()) out.with = {program.target_script};
    else if (out.with.empty()) out.with = own->second.options;
    return out;
}

}  // namespace

std::vector<UsedFile> files_of(const Project& project, const Program& program) {
    std::map<Path, std::vector<bool>> certain;
    for (ProgramReach::Loaded& file : project.reach->of(program.path, program.function))
        certain.emplace(*file.path, std::move(file.called));
    // What cannot be read is not in the graph of imports.
    std::vector<Path> all = project.imports.files_of(program.path);
    if (all.empty()) all.push_back(program.path);
    std::vector<UsedFile> out;
    for (Path& path : all) {
        UsedFile& file = out.emplace_back(UsedFile{std::move(path), {}});
        file.use.is_program = file.path == program.path;
        const auto called = certain.find(file.path);
        file.use.always = called != certain.end();
        if (file.use.always) file.use.called = std::move(called->second);
    }
    return out;
}

std::vector<FileState> file_states(const std::vector<ReportFile>& files, const RuleSet& rules) {
    KnownRules known{rules.packages.status(), {}, {}, {}};
    for (const ReportFile& file : files) {
        for (const ReportFinding& item : file.findings) {
            const Rule* rule = rules.find_rule(item.outcome.finding.rule);
            if (rule == nullptr) continue;
            if (rule->cuda_only) known.cuda_only.insert(rule->id);
            if (rule->stops_nothing) known.stops_nothing.insert(rule->id);
            if (rule->old_stack) known.old_stack.insert(rule->id);
        }
    }
    std::vector<FileState> out;
    for (const ReportFile& file : files) out.push_back(file_state(file, known));
    return out;
}

std::vector<JudgedProgram> program_outcomes(const std::vector<Job>& jobs, const std::vector<JobFacts>& facts,
                                            const std::vector<FileState>& states) {
    std::map<const Project*, KnownFiles> known;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        known[jobs[i].project].emplace(jobs[i].file->path, KnownFile{&facts[i].transfer, &states[i]});
    }
    std::vector<JudgedProgram> out;
    for (const auto& [project, of_project] : known) {
        const std::vector<std::string> old = asked_of_old_stack(*project, of_project);
        for (const Program& program : project->programs) {
            // A file that two paths name is analysed as one of the first.
            if (of_project.contains(program.path))
                out.push_back({project, &program, outcome_of(*project, program, of_project, old), 0});
        }
    }
    std::ranges::stable_sort(out, {}, [](const JudgedProgram& one) { return one.outcome.rank; });
    for (std::size_t i = 0; i < out.size(); ++i) out[i].number = i;
    return out;
}

void name_findings_of_report(const std::vector<ReportFile>& files, const std::vector<FileState>& states,
                             std::vector<JudgedProgram>& programs) {
    std::set<std::string_view> ids;
    std::map<std::pair<std::string_view, std::string_view>, std::string_view> said;
    for (const ReportFile& file : files) {
        for (const ReportFinding& item : file.findings) {
            const Finding& finding = item.outcome.finding;
            ids.insert(item.id);
            said.try_emplace({finding.rule, finding.subject}, item.id);
        }
    }
    std::map<std::string_view, std::string_view> known_as;
    for (const FileState& state : states) {
        for (const OpenItem& item : state.open) {
            const auto found = ids.contains(item.id) ? said.end() : said.find({item.rule, item.subject});
            if (found != said.end()) known_as.emplace(item.id, found->second);
        }
    }
    const auto rename = [&](std::vector<std::string>& of_program) {
        std::vector<std::string> out;
        std::set<std::string_view> seen;
        for (const std::string& id : of_program) {
            const auto found = known_as.find(id);
            const std::string_view now = found == known_as.end() ? std::string_view(id) : found->second;
            if (seen.insert(now).second) out.emplace_back(now);
        }
        of_program = std::move(out);
    };
    for (JudgedProgram& program : programs) {
        rename(program.outcome.blockers);
        rename(program.outcome.open);
    }
}

}  // namespace migrator
