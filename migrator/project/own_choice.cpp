#include "migrator/project/own_choice.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/format.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/text_position.h"
#include "migrator/match/own_support.h"
#include "migrator/project/file_rounds.h"
#include "migrator/project/test_files.h"
#include "migrator/ruleset/path_words.h"
#include "migrator/source/notebook.h"
#include "migrator/source/test_code.h"

namespace migrator {
namespace {

using base::Path;
using SupportByFile = std::map<Path, OwnSupport>;

// From here on a program is taken to run on the target by itself, in per cent.
constexpr double kEnough = 80;

// The words without which no file has a sign.
std::unordered_set<std::string_view> words_of_signs(const RuleSet& rules) {
    std::unordered_set<std::string_view> out(rules.adapted.packages.begin(), rules.adapted.packages.end());
    for (const SupportNames& names : rules.adapted.support) {
        for (const std::string_view name : names.names) out.insert(name.substr(name.rfind('.') + 1));
    }
    for (const ValueRow& row : rules.values) {
        for (const auto& [from, to] : row.fix.replace) out.insert(to);
    }
    return out;
}

OwnSupport support_of_notebook(const SourceFile& source, const Knowledge& knowledge, const Project& project) {
    const auto code = NotebookCode::read(source.text, source.path);
    if (!code) return {};
    const CellText& cells = code->python();
    const SyntaxTree tree = SyntaxTree::parse(cells.text());
    const MatchContext context = match_context(knowledge, project, source.path);
    const Bindings bindings = Bindings::analyse(tree, knowledge.facts, context.module);
    OwnSupport out = own_support(source.path, {.tree = &tree, .bindings = &bindings, .cells = &cells}, context);
    // Their lines are those of the cells' text; the report shows those of the file.
    const base::LineIndex of_file(source.text), of_cells(cells.text());
    for (OwnSupport::Sign& sign : out.signs) {
        const std::size_t begin = of_cells.line_range(sign.line).begin;
        if (const auto range = cells.in_json({begin, begin + 1})) sign.line = of_file.position(range->begin).line;
    }
    return out;
}

base::Result<SupportByFile> signs_of(base::FileSystem& fs, int threads, const Knowledge& knowledge,
                                     const Project& project) {
    const auto words = words_of_signs(knowledge.rules);
    const std::vector<FoundFile>& files = project.files.files;
    std::vector<OwnSupport> found(files.size());
    FileRounds rounds(fs, threads, knowledge, project);
    TRY(rounds.visit([&](std::size_t file,
                         std::string_view text) { return !is_test_code(files[file].path) && mentions(text, words); },
                     [&](std::size_t file, const ParsedText& parsed, const MatchContext& context) {
                         found[file] = own_support(files[file].path, parsed, context);
                     }));
    TRY(base::parallel_for(files.size(), threads, [&](std::size_t i) -> base::Status {
        if (!files[i].analysed || files[i].type != FileType::notebook || is_test_code(files[i].path)) return {};
        const auto source = read_source(fs, project, i);
        // What cannot be read is told of when it is analysed.
        if (source && !source->problem && mentions(source->text, words))
            found[i] = support_of_notebook(*source, knowledge, project);
        return {};
    }));
    SupportByFile out;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!found[i].signs.empty()) out.emplace(files[i].path, std::move(found[i]));
    }
    return out;
}

// What the files of a program say together. The same sign twice says no more than once.
class SignsTogether {
public:
    explicit SignsTogether(const Project& project) : project_(project) {}

    void add(const Path& file, const OwnSupport& support) {
        for (const OwnSupport::Sign& sign : support.signs) {
            surest_[sign.kind] = std::max(surest_[sign.kind], sign.percent);
            ProjectSign& best = sign.kind == SignKind::library ? library_ : best_;
            if (sign.percent > best.percent) best = {project_.shown(file), sign.line, sign.percent};
        }
    }
    bool know_target() const { return best_.percent > 0; }
    bool use_library() const { return library_.percent > 0; }
    bool are_enough() const {
        if (!know_target()) return false;
        double doubt = 1;
        for (const auto& [kind, percent] : surest_) doubt *= 1 - static_cast<double>(percent) / 100;
        return 100 * (1 - doubt) >= kEnough;
    }
    const ProjectSign& best() const { return best_; }        // of the project's own work
    const ProjectSign& library() const { return library_; }  // the best use of a library

private:
    const Project& project_;
    std::map<SignKind, std::uint64_t> surest_;
    ProjectSign best_;
    ProjectSign library_;
};

OwnChoice choice_of(const Project& project, const Program& program, const SupportByFile& signs, OwnProgram& out) {
    const std::vector<Path> first = project.imports.files_at_load_of(program.path);
    const std::set<Path> at_load(first.begin(), first.end());
    SignsTogether together(project);
    bool needs = false, redirects = false;
    // Which functions run is not asked: what may choose is better left alone.
    for (const Path& file : project.imports.files_always_of(program.path)) {
        const auto found = signs.find(file);
        if (found == signs.end()) continue;
        together.add(file, found->second);
        out.asks |= found->second.asks;
        std::ranges::copy(found->second.options, std::back_inserter(out.options));
        needs |= found->second.needs_target && at_load.contains(file);
        redirects |= found->second.redirects;
    }
    // What it loads on the target alone says something where it knows of the target at all.
    if (together.know_target() && !together.are_enough()) {
        for (const Path& file : project.imports.files_of(program.path)) {
            const auto found = signs.find(file);
            if (found != signs.end() && found->second.needs_target) together.add(file, found->second);
        }
    }
    if (together.know_target()) out.sign = together.best().place();
    if (together.use_library()) out.library = together.library().place();
    if (redirects) return OwnChoice::redirected;
    if (!together.are_enough()) return OwnChoice::none;
    return needs ? OwnChoice::needs : OwnChoice::chooses;
}

// A file of several programs serves them all, in whatever order they are read.
OwnChoice together(OwnChoice a, OwnChoice b) {
    if (a == b) return a;
    const auto is_any = [&](OwnChoice choice) { return a == choice || b == choice; };
    return is_any(OwnChoice::none) || is_any(OwnChoice::shared) ? OwnChoice::shared : OwnChoice::chooses;
}

// What programs do, by the files that they load.
struct Programs {
    std::map<Path, OwnChoice> files;
    std::map<Path, OwnProgram> choosing;
    std::map<Path, std::string> by_library;
    std::size_t count = 0;

    std::set<Path> in_some_cases;  // what programs without a choice load only then

    void add(const Program& program, const Project& project, OwnChoice choice, OwnProgram own) {
        ++count;
        const auto take = [&](const Path& file) {
            const auto [at, is_new] = files.emplace(file, choice);
            if (!is_new) at->second = together(at->second, choice);
        };
        const std::vector<Path> all = project.imports.files_of(program.path);
        if (choice != OwnChoice::none) {
            choosing.emplace(program.path, std::move(own));
            std::ranges::for_each(all, take);
            return;
        }
        if (!own.library.empty()) by_library.emplace(program.path, std::move(own.library));
        std::ranges::for_each(project.imports.files_always_of(program.path), take);
        in_some_cases.insert(all.begin(), all.end());
    }
};

// The surest sign of each file that such a program loads.
std::vector<ProjectSign> best_signs(const Project& project, const std::map<Path, OwnChoice>& files,
                                    const SupportByFile& signs) {
    std::vector<ProjectSign> out;
    for (const auto& [path, support] : signs) {
        const auto file = files.find(path);
        if (file == files.end() || file->second == OwnChoice::others) continue;
        SignsTogether of_file(project);
        of_file.add(path, support);
        if (of_file.know_target()) out.push_back(of_file.best());
    }
    return out;
}

// Tests, and files beside which one of the same name is for the target.
class FilesApart {
public:
    FilesApart(const Project& project, const AdaptedNames& words) : words_(words) {
        for (const FoundFile& file : project.files.files) {
            Stem stem = stem_of(file.path, words_);
            if (stem.is_target) of_target_.insert(std::move(stem.rest));
        }
    }
    bool contains(const FoundFile& file) const {
        if (is_of_tests(file.path, words_)) return true;
        const Stem stem = stem_of(file.path, words_);
        if (stem.is_target) return false;
        return of_target_.contains(stem.rest) || (stem.is_source && is_python_code(file.type));
    }

private:
    const AdaptedNames& words_;
    std::set<std::string, std::less<>> of_target_;
};

OwnPrograms own_programs(const Knowledge& knowledge, const Project& project, const SupportByFile& signs) {
    Programs programs;
    for (const Program& program : project.programs) {
        // What does without the framework needs no NPU.
        if (program.rank == ProgramRank::left_out || !program.uses_framework) continue;
        OwnProgram own;
        const OwnChoice choice = choice_of(project, program, signs, own);
        programs.add(program, project, choice, std::move(own));
    }
    // Where a program chooses, it has the say.
    for (const Path& file : programs.in_some_cases) programs.files.emplace(file, OwnChoice::none);
    if (programs.choosing.empty()) return {{}, {}, std::move(programs.by_library), {}};
    OwnPrograms out{std::move(programs.files), programs.choosing, std::move(programs.by_library), {}};
    for (auto& [path, choice] : out.files) {
        if (choice == OwnChoice::none) choice = OwnChoice::others;
    }
    out.signs = best_signs(project, out.files, signs);
    // What no program is known to load is of all of them: of what most of them do.
    if (2 * programs.choosing.size() <= programs.count) return out;
    const FilesApart apart(project, knowledge.rules.adapted);
    for (const FoundFile& file : project.files.files)
        out.files.emplace(file.path, apart.contains(file) ? OwnChoice::apart : OwnChoice::unloaded);
    return out;
}

}  // namespace

base::Status find_own_choice(base::FileSystem& fs, int threads, const Knowledge& knowledge,
                             std::vector<Project>& projects) {
    for (Project& project : projects) {
        TRY_ASSIGN(const SupportByFile signs, signs_of(fs, threads, knowledge, project));
        if (!signs.empty()) project.own_programs = own_programs(knowledge, project, signs);
    }
    return {};
}

}  // namespace migrator
