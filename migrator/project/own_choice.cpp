#include "migrator/project/own_choice.h"

#include <algorithm>

#include "base/format.h"
#include "migrator/match/own_support.h"
#include "migrator/project/file_rounds.h"
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
    SupportByFile out;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!found[i].signs.empty()) out.emplace(files[i].path, std::move(found[i]));
    }
    return out;
}

// Of a program: what its files say together, each sign by itself.
OwnChoice choice_of(const std::vector<Path>& files, const SupportByFile& signs) {
    double doubt = 1;
    bool needs = false, redirects = false;
    for (const Path& file : files) {
        const auto found = signs.find(file);
        if (found == signs.end()) continue;
        for (const OwnSupport::Sign& sign : found->second.signs) doubt *= 1 - static_cast<double>(sign.percent) / 100;
        needs |= found->second.needs_target;
        redirects |= found->second.redirects;
    }
    if (redirects) return OwnChoice::redirected;
    if (100 * (1 - doubt) < kEnough) return OwnChoice::none;
    return needs ? OwnChoice::needs : OwnChoice::chooses;
}

// A file of several programs serves them all.
OwnChoice together(OwnChoice a, OwnChoice b) {
    if (a == OwnChoice::none || b == OwnChoice::none) return a == OwnChoice::none ? b : a;
    return a == b ? a : OwnChoice::chooses;
}

bool is_python_code(FileType type) { return type == FileType::python || type == FileType::notebook; }

bool loads_any(const Project& project, const Path& program, const std::vector<std::string>& modules) {
    return std::ranges::any_of(project.imports.loads(program), [&](const std::string& loaded) {
        return std::ranges::any_of(modules, [&](const std::string& module) { return is_within(loaded, module); });
    });
}

// What programs do, by the files that they load whatever happens.
struct Programs {
    std::map<Path, OwnChoice> files;
    std::vector<Path> paths;

    void add(const Path& program, const std::vector<Path>& loaded, OwnChoice choice) {
        paths.push_back(program);
        for (const Path& file : loaded) {
            const auto [at, is_new] = files.emplace(file, choice);
            if (!is_new) at->second = together(at->second, choice);
        }
    }
};

// The surest sign of each file that such a program loads.
std::vector<std::string> places_of(const Project& project, const Programs& choosing, const SupportByFile& signs) {
    std::vector<std::string> out;
    for (const auto& [path, support] : signs) {
        if (!choosing.files.contains(path)) continue;
        const auto surest = std::ranges::max_element(support.signs, {}, &OwnSupport::Sign::percent);
        out.push_back(base::format("{}:{}", project.shown(path), surest->line));
    }
    return out;
}

bool is_program(const Project& project, const FoundFile& file) {
    if (!file.analysed || !is_python_code(file.type) || is_test_code(file.path)) return false;
    return file.type == FileType::notebook || project.imports.is_program(file.path);
}

// A file that a program loads which chooses is left to it, whatever else loads it.
OwnPrograms own_programs(const Knowledge& knowledge, const Project& project, const SupportByFile& signs) {
    Programs choosing, migrated;
    for (const FoundFile& file : project.files.files) {
        // What does without the framework needs no NPU.
        if (!is_program(project, file) || !loads_any(project, file.path, knowledge.rules.framework.loaded_by)) continue;
        const std::vector<Path> loaded = project.imports.files_always_of(file.path);
        const OwnChoice choice = choice_of(loaded, signs);
        (choice == OwnChoice::none ? migrated : choosing).add(file.path, loaded, choice);
    }
    if (choosing.paths.empty()) return {};
    OwnPrograms out{choosing.files, choosing.paths, places_of(project, choosing, signs)};
    for (const auto& [path, choice] : migrated.files) out.files.emplace(path, OwnChoice::others);
    for (const FoundFile& file : project.files.files) {
        // Settings and requirements are of all programs: of what most of them do.
        const bool is_left = is_python_code(file.type) || choosing.paths.size() >= migrated.paths.size();
        if (is_left) out.files.emplace(file.path, OwnChoice::apart);
    }
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
