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

// The programs that people start, the first in front. Those that only their names show count where there are no others.
std::vector<const ProgramOutcome*> judged_of(const std::vector<ProgramOutcome>& rows) {
    std::vector<const ProgramOutcome*> out;
    for (const ProgramOutcome& row : rows) {
        if (!row.uses_framework || row.rank == kRankLeftOut || row.is_without_device()) continue;
        const std::uint64_t most = static_cast<std::uint64_t>(ProgramRank::in_script);
        if (out.empty() || row.rank <= std::max(most, out.front()->rank)) out.push_back(&row);
    }
    return out;
}

base::Message how_it_runs(const ProgramOutcome& row) {
    std::string with;
    for (const std::string& one : row.with) with += (with.empty() ? "" : " ") + one;
    const auto say = [&](std::string_view sentence) {
        return base::Message(
            sentence,
            {{"program", row.name()}, {"place", row.chooses_at}, {"with", with}, {"places", some_of(row.places)}});
    };
    switch (row.verdict) {
        case ProgramVerdict::runs: return say("{program} takes an NPU by itself ({place}): run it as it is.");
        case ProgramVerdict::runs_with:
            return say(with.empty() ? "{program} takes an NPU on request: {place} shows by what."
                                    : "{program} takes an NPU on request ({place}): run it with {with}.");
        case ProgramVerdict::edit: break;
        case ProgramVerdict::open:
            return say("{program} takes an NPU by itself ({place}), but first look at {places}.");
        case ProgramVerdict::blocked:
            return say("{program} takes an NPU by itself ({place}), but this has no way there: {places}.");
    }
    return {};
}

Verdict verdict_of(const std::vector<const ProgramOutcome*>& judged) {
    switch (judged.front()->verdict) {
        case ProgramVerdict::edit: break;
        case ProgramVerdict::open: return Verdict::review;
        case ProgramVerdict::blocked: return Verdict::blocked;
        // How to ask for the NPU is for a person to find.
        case ProgramVerdict::runs_with:
            if (judged.front()->with.empty()) return Verdict::review;
            break;
        case ProgramVerdict::runs: break;
    }
    const bool all_run = std::ranges::all_of(judged, [](const ProgramOutcome* row) { return row->is_running(); });
    return all_run ? Verdict::native : Verdict::partly;
}

// The places at which settings files name a device or back end of CUDA: "conf/train.yaml:3".
std::vector<std::string> settings_for_cuda(const Report& report) {
    std::vector<std::string> out;
    for (const ReportFile& file : report.files) {
        if (file.type != FileType::yaml && file.type != FileType::json && file.type != FileType::toml) continue;
        for (const ReportFinding& item : file.findings) {
            const Finding& finding = item.outcome.finding;
            const bool is_device = finding.kind == FindingKind::device_string || finding.kind == FindingKind::backend;
            if (is_device && needs_review(item.outcome)) out.push_back(place_of(file.path, item.outcome));
        }
    }
    return out;
}

base::Message sentence_of(const std::vector<const ProgramOutcome*>& judged, const Report& report) {
    const ProgramOutcome& first = *judged.front();
    std::vector<std::string> running, others, packages;
    for (const ProgramOutcome* row : judged) {
        if (row != &first) (row->is_running() ? running : others).push_back(row->name());
    }
    for (const UnknownPackageRow& row : report.unknown_packages) packages.push_back(row.package);
    base::Message out = how_it_runs(first);
    if (!first.needs.empty())
        out.add({"It needs the Ascend build of {packages}.", {{"packages", some_of(first.needs)}}});
    if (!first.not_with.empty())
        out.add(
            {"What it comes to in some cases only may fail there: {places}.", {{"places", some_of(first.not_with)}}});
    if (!first.assumed.empty())
        out.add({"Where nothing else is said, it takes CUDA: {places}.", {{"places", some_of(first.assumed)}}});
    if (const std::vector<std::string> settings = settings_for_cuda(report); !settings.empty())
        out.add({"These settings name CUDA, so give them the NPU where they are used: {places}.",
                 {{"places", some_of(settings)}}});
    if (!running.empty()) out.add({"An NPU is taken as well by {programs}.", {{"programs", some_of(running)}}});
    if (!others.empty()) out.add({"Work is left for {programs}.", {{"programs", some_of(others)}}});
    if (!packages.empty())
        out.add({"No rule knows {packages}: look for CUDA in them.", {{"packages", some_of(packages)}}});
    return out;
}

}  // namespace

std::vector<FileState> file_states(const std::vector<ReportFile>& files, const RuleSet& rules) {
    const std::map<std::string, std::string> status = rules.packages.status();
    std::vector<FileState> out;
    for (const ReportFile& file : files) out.push_back(file_state(file, status));
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

void judge_by_programs(const std::vector<Job>& jobs, const std::vector<ProgramOutcome>& rows, Report& report) {
    const std::vector<const ProgramOutcome*> judged = judged_of(rows);
    // Of several projects no program is the first.
    const bool is_one = std::ranges::all_of(jobs, [&](const Job& job) { return job.project == jobs.front().project; });
    if (!is_one || judged.empty() || judged.front()->chooses_at.empty()) return;
    // What edits settle is counted as everywhere.
    if (judged.front()->verdict == ProgramVerdict::edit) return;
    report.summary.verdict = verdict_of(judged);
    report.summary.sentence = sentence_of(judged, report);
    std::set<Path> reached;
    const Project& project = *jobs.front().project;
    for (const Program& program : project.programs) {
        const Path shown = project.shown(program.path);
        if (std::ranges::none_of(judged, [&](const ProgramOutcome* row) { return row->transfer.path == shown; }))
            continue;
        for (const std::size_t file : program.loads) reached.insert(project.shown(project.files.files[file].path));
    }
    for (ReportFile& file : report.files)
        file.is_reached = file.type != FileType::python || reached.contains(file.path);
}

}  // namespace migrator
