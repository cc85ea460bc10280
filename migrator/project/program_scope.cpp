#include "migrator/project/program_scope.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/nearest_word.h"
#include "migrator/project/test_files.h"

namespace migrator {
namespace {

using base::Path;

constexpr auto kRankScript = static_cast<std::uint64_t>(ProgramRank::in_script);
constexpr auto kRankNamed = static_cast<std::uint64_t>(ProgramRank::named);

constexpr std::size_t kMostListed = 30;  // programs, of a file
constexpr std::size_t kMostNamed = 20;   // after a mistake

bool is_started(const ProgramOutcome& row) {
    const bool is_passed = !row.uses_framework && row.blockers.empty();
    return !is_passed && row.rank != kRankLeftOut && !row.is_without_device();
}

// How they load the files of the project.
class Uses {
public:
    explicit Uses(const ProgramScope& scope) {
        for (const JudgedProgram* one : scope.programs) add(*one, true);
        for (const JudgedProgram* one : scope.others) add(*one, false);
    }

    Reach reach_of(const Path& path, const CodeStanding& standing) const {
        const auto known = uses_.find(path);
        if (known == uses_.end()) return Reach::none;
        return known->second.use.runs(standing) ? Reach::hard : Reach::optional;
    }

    // By their numbers.
    std::vector<std::uint64_t> programs_of(const Path& path) const {
        const auto known = uses_.find(path);
        return known == uses_.end() ? std::vector<std::uint64_t>() : known->second.programs;
    }

private:
    struct Used {
        FileUse use;
        std::vector<std::uint64_t> programs;
    };

    void add(const JudgedProgram& one, bool counts) {
        const bool is_listed = counts && listed_++ < kMostListed;
        for (UsedFile& file : files_of(*one.project, *one.program)) {
            Used& used = uses_[std::move(file.path)];
            if (is_listed) used.programs.push_back(one.number);
            file.use.always &= counts;
            used.use.add(file.use);
        }
    }

    std::map<Path, Used> uses_;
    std::size_t listed_ = 0;
};

void lower(Reach reach, ReportFinding& item) {
    Finding& finding = item.outcome.finding;
    // What could not be read is told of as it is.
    if (finding.kind == FindingKind::file) return;
    item.reach = reach;
    if (reach == Reach::optional) finding.severity = std::min(finding.severity, Severity::warning);
    if (reach == Reach::none) {
        finding.severity = Severity::info;
        finding.effort = Effort::none;
    }
}

Program* find_program(Project& project, const std::string& name) {
    const auto found = std::ranges::find_if(project.programs, [&](const Program& one) {
        return one.command == name || project.shown(one.path) == name ||
               base::normal_path(project.on_disk(one.path)) == base::normal_path(name);
    });
    return found == project.programs.end() ? nullptr : &*found;
}

// A file that nothing else says to be a program.
Program* add_program(Project& project, const std::string& name) {
    for (const FoundFile& file : project.files.files) {
        const bool is_it = project.shown(file.path) == name ||
                           base::normal_path(project.on_disk(file.path)) == base::normal_path(name);
        if (!is_it || !is_python_code(file.type) || !file.analysed) continue;
        Program program;
        program.path = file.path;
        program.uses_framework = true;
        return &project.programs.emplace_back(std::move(program));
    }
    return nullptr;
}

base::Status no_such_program(const std::string& name, const std::vector<Project>& projects) {
    std::vector<std::string> known;
    for (const Project& project : projects) {
        for (const Program& one : project.programs) {
            if (one.rank == ProgramRank::left_out) continue;
            known.push_back(one.command.empty() ? project.shown(one.path) : one.command);
        }
    }
    const std::string meant =
        known.size() <= kMostNamed ? base::did_you_mean_or_all(name, known) : base::did_you_mean(name, known);
    return base::fail(base::ErrorKind::usage,
                      base::format("--program: the project has no program \"{}\"{}", name, meant));
}

}  // namespace

bool is_run_by_programs(const base::Path& path, FileType type) {
    // Installing the package runs its setup, whatever is started then.
    return is_python_code(type) && base::file_name(path) != "setup.py";
}

base::Status name_programs(const std::vector<std::string>& names, std::vector<Project>& projects) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        Program* found = nullptr;
        for (Project& project : projects) {
            if (found == nullptr) found = find_program(project, names[i]);
        }
        for (Project& project : projects) {
            if (found == nullptr) found = add_program(project, names[i]);
        }
        if (found == nullptr) return no_such_program(names[i], projects);
        if (found->named == 0) found->named = i + 1;
        found->rank = ProgramRank::documented;
    }
    return {};
}

ProgramScope scope_of(const std::vector<JudgedProgram>& all, bool is_whole) {
    ProgramScope out;
    const auto named = [](const JudgedProgram* one) { return one->program->named; };
    for (const JudgedProgram& one : all) {
        if (named(&one) > 0) out.programs.push_back(&one);
    }
    std::ranges::sort(out.programs, {}, named);
    out.is_narrow = !out.programs.empty();
    if (out.is_narrow) return out;
    // Of several projects no program is the first.
    if (std::ranges::any_of(all, [&](const JudgedProgram& one) { return one.project != all.front().project; }))
        return out;
    for (const JudgedProgram& one : all) {
        const bool is_likely =
            out.programs.empty() || one.outcome.rank <= std::max(kRankScript, out.programs.front()->outcome.rank);
        if (is_started(one.outcome) && is_likely) out.programs.push_back(&one);
        else if (one.outcome.rank != kRankLeftOut) out.others.push_back(&one);
    }
    if (out.programs.empty() || is_whole) return out;
    const ProgramOutcome& first = out.programs.front()->outcome;
    out.is_narrow = first.rank <= kRankNamed || !first.chooses_at.empty();
    return out;
}

void narrow(const ProgramScope& scope, const std::vector<Job>& jobs, const AdaptedNames& words,
            std::vector<ReportFile>& files) {
    if (scope.programs.empty()) return;
    const Uses uses(scope);
    const Project* project = scope.programs.front()->project;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const FoundFile& file = *jobs[i].file;
        files[i].programs = uses.programs_of(file.path);
        if (!scope.is_narrow) continue;
        const bool is_always_used = jobs[i].project == project && !is_run_by_programs(file.path, file.type);
        const bool is_for_tests = is_of_tests(file.path, words);
        files[i].readiness = Readiness::ready;
        for (ReportFinding& item : files[i].findings) {
            const CodeStanding& standing = item.outcome.finding.standing;
            if (is_for_tests) lower(Reach::none, item);
            else if (is_always_used) lower(standing.sometimes ? Reach::optional : Reach::hard, item);
            else lower(uses.reach_of(file.path, standing), item);
            files[i].readiness = std::max(files[i].readiness, readiness_of(open_effort(item.outcome)));
        }
    }
}

}  // namespace migrator
