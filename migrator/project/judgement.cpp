#include "migrator/project/judgement.h"

#include <algorithm>

#include "base/human.h"

namespace migrator {
namespace {

using Rows = std::vector<const ProgramOutcome*>;

base::Message how_it_runs(const ProgramOutcome& row, bool applied) {
    std::string with;
    for (const std::string& one : row.with) with += (with.empty() ? "" : " ") + one;
    const bool chooses = !row.chooses_at.empty();
    const auto say = [&](std::string_view sentence) {
        return base::Message(sentence, {{"program", row.name()},
                                        {"place", chooses ? row.chooses_at : row.library_at},
                                        {"with", with},
                                        {"edits", base::with_separators(row.edits)},
                                        {"places", some_of(row.places)}});
    };
    switch (row.verdict) {
        case ProgramVerdict::runs:
            if (chooses) return say("{program} takes an NPU by itself ({place}): run it as it is.");
            return say(row.takes_target()
                           ? "{program} leaves the device to a library ({place}) that takes an NPU by itself: run it "
                             "as it is."
                           : "{program}: nothing that it always runs is known to need CUDA.");
        case ProgramVerdict::runs_with:
            return say(with.empty() ? "{program} takes an NPU on request: {place} shows by what."
                                    : "{program} takes an NPU on request ({place}): run it with {with}.");
        case ProgramVerdict::edit:
            return say(applied
                           ? "{program}: what it always runs is rewritten (places: {edits}), so it is ready for its "
                             "first run on Ascend NPU."
                           : "{program}: what it always runs can be rewritten automatically (places: {edits}).");
        case ProgramVerdict::cuda_only: return say("{program} measures or builds for CUDA: it is not for the NPU.");
        case ProgramVerdict::obsolete:
            return say(
                "{program} is made for the NPU stack of 2020 to 2022 ({places}), which is out of use: start from what "
                "it "
                "was made of for CUDA, or replace what is listed.");
        case ProgramVerdict::open:
            return say(chooses ? "{program} takes an NPU by itself ({place}), but first look at {places}."
                               : "{program} needs a look before its first run on Ascend NPU: {places}.");
        case ProgramVerdict::blocked:
            return say(chooses ? "{program} takes an NPU by itself ({place}), but this has no way there: {places}."
                               : "{program} cannot run on Ascend NPU before this is replaced: {places}.");
    }
    return {};
}

// Nothing is left to a person.
bool is_settled(const ProgramOutcome& row, const ProgramOutcome& first) {
    if (row.verdict == ProgramVerdict::edit) return first.verdict == ProgramVerdict::edit;
    return row.is_running() || row.verdict == ProgramVerdict::cuda_only;
}

// What the project is installed by: not an image, which is one of several ways to install it, and not what one of its
// folders builds, which counts where a program loads it.
bool is_installed_by(const ReportFile& file) {
    if (file.path.find('/') != file.path.npos) return false;
    switch (file.type) {
        case FileType::requirements:
        case FileType::yaml:
        case FileType::toml:
        case FileType::setup_cfg: return true;
        default: return file.type == FileType::python && !is_run_by_programs(file.path, file.type);
    }
}

// Places of what is installed with the programs and has no way on the NPU.
std::vector<std::string> errors_of_installation(const Report& report) {
    std::vector<std::string> out;
    for (const ReportFile& file : report.files) {
        if (!is_installed_by(file)) continue;
        for (const ReportFinding& item : file.findings) {
            if (needs_review(item.outcome) && item.outcome.finding.severity == Severity::error)
                out.push_back(place_of(file.path, item.outcome));
        }
    }
    return out;
}

// Places in code of which not all could be read: what it does, and who loads it, is not known.
std::vector<std::string> unread_code(const Report& report) {
    std::vector<std::string> out;
    for (const ReportFile& file : report.files) {
        if (!is_python_code(file.type) || file.is_test) continue;
        for (const ReportFinding& item : file.findings) {
            if (item.outcome.finding.kind == FindingKind::file && needs_review(item.outcome))
                out.push_back(place_of(file.path, item.outcome));
        }
    }
    return out;
}

Verdict verdict_of(const Rows& judged, const Report& report, bool applied) {
    const ProgramOutcome& first = *judged.front();
    const bool all_are_settled =
        std::ranges::all_of(judged, [&](const ProgramOutcome* row) { return is_settled(*row, first); });
    switch (first.verdict) {
        case ProgramVerdict::cuda_only:
        case ProgramVerdict::obsolete:
        case ProgramVerdict::open: return Verdict::review;
        case ProgramVerdict::blocked: return Verdict::blocked;
        // How to ask for the NPU is for a person to find.
        case ProgramVerdict::runs_with:
            if (first.with.empty()) return Verdict::review;
            break;
        case ProgramVerdict::runs: break;
        case ProgramVerdict::edit:
            // What is installed with it has no way on the NPU, or something of the project is not known.
            if (!errors_of_installation(report).empty() || !unread_code(report).empty()) return Verdict::review;
            break;
    }
    if (!all_are_settled) return Verdict::partly;
    if (first.verdict == ProgramVerdict::edit) return applied ? Verdict::ready : Verdict::convertible;
    if (first.takes_target()) return Verdict::native;
    return std::min(report.summary.verdict, Verdict::review);
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

// That have places left for a person, which transfer_to_npu would redirect.
std::vector<std::string> run_by_transfer(const Rows& judged) {
    std::vector<std::string> out;
    for (const ProgramOutcome* row : judged) {
        const bool is_left = row->verdict == ProgramVerdict::open || row->verdict == ProgramVerdict::blocked;
        const TransferVerdict verdict = row->transfer.verdict;
        if (is_left && row->chooses_at.empty() &&
            (verdict == TransferVerdict::enough || verdict == TransferVerdict::with_edits))
            out.push_back(row->name());
    }
    return out;
}

base::Message sentence_of(const Rows& judged, const std::vector<std::string>& install, bool applied,
                          const Report& report) {
    const ProgramOutcome& first = *judged.front();
    const bool is_edited = first.verdict == ProgramVerdict::edit;
    const bool is_native = !is_edited && !first.chooses_at.empty();
    std::vector<std::string> running, others, packages;
    for (const ProgramOutcome* row : judged) {
        if (row == &first) continue;
        if (row->takes_target()) running.push_back(row->name());
        else if (is_native ? !row->is_running() : !is_settled(*row, first)) others.push_back(row->name());
    }
    for (const UnknownPackageRow& row : report.unknown_packages) packages.push_back(row.package);
    base::Message out = how_it_runs(first, applied);
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
    if (const std::vector<std::string> errors = errors_of_installation(report); is_edited && !errors.empty())
        out.add({"Replace first what is installed with it: {places}.", {{"places", some_of(errors)}}});
    if (const std::vector<std::string> unread = unread_code(report); !unread.empty())
        out.add({"Not all of this could be read, so look at it: {places}.", {{"places", some_of(unread)}}});
    if (!running.empty()) out.add({"An NPU is taken as well by {programs}.", {{"programs", some_of(running)}}});
    if (!others.empty()) out.add({"Work is left for {programs}.", {{"programs", some_of(others)}}});
    if (const std::vector<std::string> redirected = run_by_transfer(judged); !redirected.empty())
        out.add(
            {"transfer_to_npu (--style auto) leaves nothing of that to a person for {programs}, so it is the safer "
             "way.",
             {{"programs", some_of(redirected)}}});
    if (!packages.empty())
        out.add({"No rule knows {packages}: look there for CUDA.", {{"packages", some_of(packages)}}});
    return out;
}

ProjectState state_of(const Rows& judged) {
    using Row = const ProgramOutcome*;
    const auto chooses = [](Row row) { return !row->chooses_at.empty(); };
    const auto is_by_library = [](Row row) { return !row->library_at.empty(); };
    const auto is_done = [&](Row row) { return row->verdict == ProgramVerdict::cuda_only || row->takes_target(); };
    if (judged.empty()) return ProjectState::unaware;
    if (judged.front()->verdict == ProgramVerdict::obsolete) return ProjectState::obsolete;
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
        case ProjectState::obsolete: return ProjectKind::obsolete;
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

ReportProject project_of(const Project& project, const Rows& judged) {
    ReportProject out;
    out.state = state_of(judged);
    out.evidence = project.own_programs.signs;
    if (out.state == ProjectState::unaware) return out;
    out.kind = kind_of(out.state, *judged.front(), project.install);
    out.start = start_of(*judged.front());
    out.start.install = project.install;
    return out;
}

bool is_done_by_library(const Rows& judged, const ReportSummary& summary) {
    const bool is_done = summary.verdict == Verdict::ready || summary.verdict == Verdict::nothing_found;
    return is_done && judged.front()->is_running() && !judged.front()->library_at.empty();
}

}  // namespace

Judgement::Judgement(const std::vector<Job>& jobs, const std::vector<JobFacts>& facts, const RuleSet& rules,
                     bool is_whole, std::vector<ReportFile>& files)
    : states_(file_states(files, rules)),
      programs_(program_outcomes(jobs, facts, states_)),
      scope_(scope_of(programs_, is_whole)) {
    narrow(scope_, jobs, rules.adapted, files);
}

void Judgement::fill(bool applied, Report& report) const {
    if (report.run.command == "analyze") {
        for (const JudgedProgram& one : programs_) report.programs.push_back(one.outcome);
    } else {
        for (ReportFile& file : report.files) file.programs.clear();
    }
    if (report.run.paths.size() != 1) return;
    Rows judged;
    for (const JudgedProgram* one : scope_.programs) judged.push_back(&one->outcome);
    report.project = ReportProject{};
    if (!judged.empty()) {
        const Project& project = *scope_.programs.front()->project;
        report.project = project_of(project, judged);
        if (scope_.is_narrow || is_done_by_library(judged, report.summary)) {
            report.summary.verdict = verdict_of(judged, report, applied);
            report.summary.sentence = sentence_of(judged, project.install, applied, report);
        }
    }
    report.project->sentence = report.summary.sentence;
}

}  // namespace migrator
