#include "migrator/project/judgement.h"

#include <algorithm>
#include <set>

namespace migrator {
namespace {

using base::Path;

// The programs that people start, the first in front. Those that only their names show count where there are no others.
std::vector<const ProgramOutcome*> judged_of(const std::vector<ProgramOutcome>& rows) {
    std::vector<const ProgramOutcome*> out;
    for (const ProgramOutcome& row : rows) {
        const bool is_passed = !row.uses_framework && row.blockers.empty();
        if (is_passed || row.rank == kRankLeftOut || row.is_without_device()) continue;
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
        case ProgramVerdict::runs:
            if (row.chooses_at.empty())
                return {
                    "{program} leaves the device to a library ({place}) that takes an NPU by itself: run it as it is.",
                    {{"program", row.name()}, {"place", row.library_at}}};
            return say("{program} takes an NPU by itself ({place}): run it as it is.");
        case ProgramVerdict::runs_with:
            return say(with.empty() ? "{program} takes an NPU on request: {place} shows by what."
                                    : "{program} takes an NPU on request ({place}): run it with {with}.");
        case ProgramVerdict::edit:
        case ProgramVerdict::cuda_only: break;
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
        case ProgramVerdict::cuda_only:
        case ProgramVerdict::open: return Verdict::review;
        case ProgramVerdict::blocked: return Verdict::blocked;
        // How to ask for the NPU is for a person to find.
        case ProgramVerdict::runs_with:
            if (judged.front()->with.empty()) return Verdict::review;
            break;
        case ProgramVerdict::runs: break;
    }
    const bool all_run = std::ranges::all_of(judged, &ProgramOutcome::takes_target);
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

base::Message sentence_of(const std::vector<const ProgramOutcome*>& judged, const std::vector<std::string>& install,
                          const Report& report) {
    const ProgramOutcome& first = *judged.front();
    std::vector<std::string> running, others, packages;
    for (const ProgramOutcome* row : judged) {
        if (row != &first) (row->takes_target() ? running : others).push_back(row->name());
    }
    for (const UnknownPackageRow& row : report.unknown_packages) packages.push_back(row.package);
    base::Message out = how_it_runs(first);
    if (!install.empty())
        out.add({"The project has its own way to install it for the NPU: {ways}.", {{"ways", some_of(install)}}});
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
        out.add({"No rule knows {packages}: look there for CUDA.", {{"packages", some_of(packages)}}});
    return out;
}

ProjectState state_of(const std::vector<const ProgramOutcome*>& judged) {
    using Row = const ProgramOutcome*;
    const auto chooses = [](Row row) { return !row->chooses_at.empty(); };
    const auto is_by_library = [](Row row) { return !row->library_at.empty(); };
    const auto is_done = [&](Row row) { return row->verdict == ProgramVerdict::cuda_only || row->takes_target(); };
    if (judged.empty()) return ProjectState::unaware;
    const auto needs_no_person = [](Row row) { return row->is_running() || row->verdict == ProgramVerdict::edit; };
    if (std::ranges::all_of(judged, is_by_library) && std::ranges::all_of(judged, needs_no_person))
        return ProjectState::library;
    const bool is_any =
        std::ranges::any_of(judged, chooses) || std::ranges::any_of(judged, &ProgramOutcome::takes_target);
    if (!is_any) return ProjectState::unaware;
    return std::ranges::all_of(judged, is_done) ? ProjectState::supports : ProjectState::in_part;
}

ProjectKind kind_of(ProjectState state, const ProgramOutcome& first, const std::vector<std::string>& install) {
    switch (state) {
        case ProjectState::unaware: break;
        case ProjectState::supports: {
            const bool is_as_it_is = first.verdict != ProgramVerdict::runs_with && install.empty();
            return is_as_it_is ? ProjectKind::native : ProjectKind::native_with;
        }
        case ProjectState::in_part: return ProjectKind::partly;
        case ProjectState::library: return ProjectKind::library;
    }
    return ProjectKind::none;
}

ProjectStart start_of(const ProgramOutcome& first) {
    ProjectStart out;
    for (const std::string& one : first.with)
        (one.starts_with('-') || one.find('=') == one.npos ? out.arguments : out.environment).push_back(one);
    out.not_with = first.not_with;
    out.needs = first.needs;
    return out;
}

ReportProject project_of(const Project& project, const std::vector<const ProgramOutcome*>& judged) {
    ReportProject out;
    out.state = state_of(judged);
    out.evidence = project.own_programs.signs;
    if (out.state == ProjectState::unaware) return out;
    out.kind = kind_of(out.state, *judged.front(), project.install);
    out.start = start_of(*judged.front());
    out.start.install = project.install;
    return out;
}

// Whether the verdict is theirs. What edits settle is counted as everywhere.
bool is_about_programs(const std::vector<const ProgramOutcome*>& judged, const ReportSummary& summary) {
    if (judged.empty() || judged.front()->verdict == ProgramVerdict::edit) return false;
    if (!judged.front()->chooses_at.empty()) return true;
    const bool is_done = summary.verdict == Verdict::ready || summary.verdict == Verdict::nothing_found;
    return is_done && judged.front()->is_running() && !judged.front()->library_at.empty();
}

void note_what_is_reached(const Project& project, const std::vector<const ProgramOutcome*>& judged, Report& report) {
    std::set<Path> reached;
    for (const Program& program : project.programs) {
        const Path shown = project.shown(program.path);
        if (std::ranges::none_of(judged, [&](const ProgramOutcome* row) { return row->transfer.path == shown; }))
            continue;
        for (const ProgramReach::Loaded& file : project.reach->of(program.path, program.function))
            reached.insert(project.shown(*file.path));
    }
    for (ReportFile& file : report.files)
        file.is_reached = file.type != FileType::python || reached.contains(file.path);
}

}  // namespace

void judge_by_programs(const std::vector<Job>& jobs, const std::vector<ProgramOutcome>& rows, Report& report) {
    // Of several projects no program is the first.
    const bool is_one = std::ranges::all_of(jobs, [&](const Job& job) { return job.project == jobs.front().project; });
    if (jobs.empty() || !is_one) return;
    const Project& project = *jobs.front().project;
    const std::vector<const ProgramOutcome*> judged = judged_of(rows);
    report.project = project_of(project, judged);
    if (is_about_programs(judged, report.summary)) {
        report.summary.verdict = verdict_of(judged);
        report.summary.sentence = sentence_of(judged, project.install, report);
        note_what_is_reached(project, judged, report);
    }
    report.project->sentence = report.summary.sentence;
}

}  // namespace migrator
