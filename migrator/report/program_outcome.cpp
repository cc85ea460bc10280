#include "migrator/report/program_outcome.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.h"
#include "base/text.h"
#include "migrator/report/report.h"

namespace migrator {
namespace {

// Open findings that are kept of each function and meaning; more of them say nothing new of a program.
constexpr std::size_t kMostAlike = 100;

// A package's status: it has a build for the NPU.
constexpr std::string_view kHasBuild = "ascend_fork";

// A program does without what is only advice.
bool is_advice(FindingKind kind) { return kind == FindingKind::advice || kind == FindingKind::affinity; }

// What may end a program that has not been made for the NPU; the rest changes how it runs there.
bool may_end(FindingKind kind) {
    return kind == FindingKind::cuda_api || kind == FindingKind::device_string || kind == FindingKind::backend ||
           kind == FindingKind::amp || kind == FindingKind::cuda_extension || kind == FindingKind::file;
}

bool is_settled_by_edit(FixState state) { return state == FixState::applied || state == FixState::available; }

void add_once(std::vector<std::string>& texts, const std::string& text) {
    if (!base::contains(texts, text)) texts.push_back(text);
}

ProgramVerdict verdict_of(bool asks, const ProgramOutcome& row) {
    const bool chooses = !row.chooses_at.empty();
    if (!row.blockers.empty()) return ProgramVerdict::blocked;
    if (!row.open.empty()) return ProgramVerdict::open;
    if (row.edits > 0) return ProgramVerdict::edit;
    return chooses && (!asks || !row.with.empty()) ? ProgramVerdict::runs_with : ProgramVerdict::runs;
}

}  // namespace

std::string_view name(ProgramVerdict verdict) {
    switch (verdict) {
        case ProgramVerdict::runs: return "runs";
        case ProgramVerdict::runs_with: return "runs_with";
        case ProgramVerdict::edit: return "edit";
        case ProgramVerdict::open: return "open";
        case ProgramVerdict::blocked: return "blocked";
        case ProgramVerdict::cuda_only: return "cuda_only";
        case ProgramVerdict::obsolete: return "obsolete";
    }
    CHECK(false);
    return {};
}

bool FileUse::runs(const CodeStanding& standing) const {
    if (!always || standing.sometimes) return false;
    if (standing.function == CodeStanding::kAsProgram) return is_program;
    const auto function = static_cast<std::size_t>(standing.function);
    return !standing.is_in_function() || function >= called.size() || called[function];
}

void FileUse::add(const FileUse& other) {
    is_program |= other.is_program;
    if (!other.always) return;
    if (!always) called = other.called;
    always = true;
    called.resize(std::min(called.size(), other.called.size()));
    for (std::size_t i = 0; i < called.size(); ++i) called[i] = called[i] || other.called[i];
}

FileState file_state(const ReportFile& file, const KnownRules& known) {
    FileState out;
    std::map<std::tuple<std::int32_t, bool, bool, bool, bool, bool, std::string>, std::size_t> kept;
    for (const ReportFinding& item : file.findings) {
        const Finding& finding = item.outcome.finding;
        if (finding.told) out.told.push_back(*finding.told);
        if (finding.is_assumed) out.assumed.push_back(place_of(file.path, item.outcome));
        if (is_advice(finding.kind)) continue;
        out.edits += is_settled_by_edit(item.outcome.state);
        if (!needs_review(item.outcome) || finding.is_done_without) continue;
        const bool is_package = finding.kind == FindingKind::third_party || finding.kind == FindingKind::cuda_extension;
        OpenItem open;
        open.id = item.id;
        open.rule = finding.rule;
        open.subject = finding.subject;
        open.place = place_of(file.path, item.outcome);
        const auto status = known.package_status.find(finding.subject);
        const bool is_built = status != known.package_status.end() && status->second == kHasBuild;
        const bool is_error = finding.severity == Severity::error;
        const bool is_hard = finding.effort >= Effort::replace;
        open.blocks = is_error ? is_package || is_hard : is_package && !is_built && is_hard;
        open.has_build = is_built && !open.blocks;
        const bool is_harmless = known.stops_nothing.contains(finding.rule);
        open.ends = is_error || open.blocks || finding.is_needed || (may_end(finding.kind) && !is_harmless);
        open.is_for_cuda = known.cuda_only.contains(finding.rule);
        open.is_of_old_stack = known.old_stack.contains(finding.rule);
        open.is_settled_by_choice = finding.is_left_to_choice || finding.is_only_named;
        open.standing = finding.standing;
        // What more of the same says nothing new of the program.
        const auto kind =
            std::tuple(open.standing.function, open.standing.sometimes, open.blocks, open.ends,
                       open.is_settled_by_choice, open.is_of_old_stack, open.has_build ? open.subject : std::string());
        if (++kept[kind] <= kMostAlike) out.open.push_back(std::move(open));
    }
    return out;
}

void judge(const std::vector<LoadedFile>& files, bool asks, std::vector<std::string> old, ProgramOutcome& row) {
    const bool chooses = !row.chooses_at.empty();
    bool is_for_cuda = false;
    for (const LoadedFile& file : files) {
        ++(file.use.always ? row.files.always : row.files.optional);
        if (file.use.always || !chooses) row.edits += file.state->edits;
        for (const OpenItem& item : file.state->open) {
            const bool is_certain = file.use.runs(item.standing);
            if (is_certain && item.is_of_old_stack) add_once(old, item.place);
            if (is_certain && item.has_build) {
                add_once(row.needs, item.subject);
                continue;
            }
            is_for_cuda |= is_certain && item.is_for_cuda && file.use.is_program && row.rank == kRankMeasure &&
                           item.standing.function == CodeStanding::kAtLoad;
            if (!item.ends || (chooses && item.is_settled_by_choice)) continue;
            if (!is_certain) {
                add_once(row.not_with, item.place);
                continue;
            }
            if (item.blocks && row.blockers.empty()) row.places.clear();
            if (item.blocks || row.blockers.empty()) add_once(row.places, item.place);
            add_once(item.blocks ? row.blockers : row.open, item.id);
        }
        if (!file.use.always || !chooses) continue;
        for (const std::string& told : file.state->told) add_once(row.with, told);
        for (const std::string& place : file.state->assumed) add_once(row.assumed, place);
    }
    row.verdict = is_for_cuda ? ProgramVerdict::cuda_only : verdict_of(asks, row);
    if (old.empty()) return;
    row.verdict = ProgramVerdict::obsolete;
    row.places = std::move(old);
}

}  // namespace migrator
