#include "migrator/project/programs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "migrator/project/entry_points.h"
#include "migrator/project/program_names.h"
#include "migrator/project/test_files.h"
#include "migrator/ruleset/path_words.h"
#include "migrator/start/start_facts.h"

namespace migrator {
namespace {

using base::Path;

constexpr std::uint64_t kMostDocumentBytes = 1 << 20;
constexpr std::string_view kMarkdown = ".md";  // other texts at the top of a project list packages and the like

std::vector<std::string_view> parts_of(std::string_view path) { return base::split(path, '/'); }

bool begins_with_any(std::string_view text, const std::vector<std::string>& beginnings) {
    return std::ranges::any_of(beginnings, [&](const std::string& one) { return text.starts_with(one); });
}

bool ends_with_any(std::string_view text, const std::vector<std::string>& ends) {
    return std::ranges::any_of(ends, [&](const std::string& one) { return text.ends_with(one); });
}

bool is_script(const FoundFile& file) {
    return file.analysed && (file.type == FileType::shell || file.type == FileType::yaml ||
                             file.type == FileType::dockerfile || file.type == FileType::makefile);
}

// Of one project. Each text is read once.
class Search {
public:
    Search(base::FileSystem& fs, const StartFacts& start, const ProgramFacts& facts, const RuleSet& rules,
           Project& project)
        : fs_(fs),
          start_(start),
          facts_(facts),
          adapted_(rules.adapted),
          framework_(rules.framework.loaded_by),
          project_(project),
          names_(project.files) {}

    void run() {
        for (const FoundFile& file : project_.files.files) add_file(file);
        for (const Path& document : documents_in_order()) read_document(document);
        for (auto& [script, programs] : scripts_) add_started(script, programs);
        for (auto& [path, program] : found_) project_.programs.push_back(std::move(program));
        std::ranges::move(others_, std::back_inserter(project_.programs));
        for (Program& program : project_.programs) program.uses_framework = loads_framework(program);
        std::ranges::stable_sort(project_.programs, {}, [&](const Program& program) {
            const std::size_t named = program.rank < ProgramRank::named ? 0 : place_of_name(program.path);
            return std::tuple(program.rank, named, order_.at(program.path));
        });
    }

private:
    bool loads_framework(const Program& program) const {
        return std::ranges::any_of(
            project_.reach->of(program.path, program.function),
            [&](const ProgramReach::Loaded& file) { return project_.imports.imports_any(*file.path, framework_); });
    }

    // Of several that say so the likeliest counts, and of those the first.
    void add(const Path& path, ProgramRank rank, std::string origin) {
        if (is_left_out(path)) rank = ProgramRank::left_out;
        const auto [known, is_new] = found_.try_emplace(path);
        Program& program = known->second;
        if (!is_new && program.rank <= rank) return;
        program.path = path;
        program.rank = rank;
        program.origin = std::move(origin);
        order_[path] = ++count_;
    }

    void add_file(const FoundFile& file) {
        const std::string_view name = base::file_name(file.path);
        if (is_document(file)) documents_.push_back(file.path);
        if (is_script(file)) scripts_.emplace(file.path, started_in(file));
        if (file.analysed && file.bytes <= kMostDocumentBytes) add_installed(file);
        if (file.analysed && has_part(file.path, adapted_.target_words)) add_install(file);
        if (!file.analysed || !is_python_code(file.type)) return;
        if (file.type == FileType::notebook) add(file.path, ProgramRank::example, {});
        else if (name == "__main__.py") add(file.path, ProgramRank::installed, {});
        else if (project_.imports.is_program(file.path)) add(file.path, rank_by_name(file.path), {});
    }

    bool is_document(const FoundFile& file) const {
        if (file.bytes > kMostDocumentBytes || file.kind != base::FileKind::regular) return false;
        const std::string_view name = base::file_name(file.path);
        if (!ends_with_any(name, facts_.document_ends)) return false;
        if (begins_with_any(name, facts_.documents)) return true;
        const bool is_at_top = file.path.find('/') == file.path.npos;
        return is_at_top ? name.ends_with(kMarkdown) && !begins_with_any(name, facts_.no_documents)
                         : base::contains(facts_.document_folders, parts_of(file.path).front());
    }

    // The README of the project first, then those of its folders, then the documentation.
    std::vector<Path> documents_in_order() const {
        std::vector<Path> out = documents_;
        const auto key = [&](const Path& path) {
            const bool is_readme = begins_with_any(base::file_name(path), facts_.documents);
            return std::tuple(!is_readme, std::ranges::count(path, '/'), path.size(), path);
        };
        std::ranges::sort(out, {}, key);
        return out;
    }

    bool is_left_out(std::string_view path) const {
        const std::vector<std::string_view> parts = parts_of(path);
        return is_of_tests(path, adapted_) || base::contains(facts_.left_out, parts.front()) ||
               base::contains(facts_.left_out, parts.back());
    }

    // Programs that only their names rank are ordered by the beginnings of these names: those that train come first.
    std::size_t place_of_name(const Path& path) const {
        const std::vector<std::string>& beginnings = facts_.program_beginnings;
        const auto found = std::ranges::find_if(
            beginnings, [&](const std::string& beginning) { return base::file_name(path).starts_with(beginning); });
        return static_cast<std::size_t>(found - beginnings.begin());
    }

    ProgramRank rank_by_name(const Path& path) const {
        std::vector<std::string_view> parts = parts_of(path);
        const std::string_view name = parts.back();
        parts.pop_back();
        const auto is_in = [&](const std::vector<std::string>& folders) {
            return std::ranges::any_of(parts, [&](std::string_view part) { return base::contains(folders, part); });
        };
        if (is_in(facts_.measuring_words) || begins_with_any(name, facts_.measuring_words)) return ProgramRank::measure;
        if (is_in(facts_.example_folders)) return ProgramRank::example;
        const bool is_named =
            parts.empty() || is_in(facts_.program_folders) || begins_with_any(name, facts_.program_beginnings);
        return is_named ? ProgramRank::named : ProgramRank::measure;
    }

    std::string read(const Path& path) const {
        auto bytes = project_.read(fs_, path);
        return bytes ? std::move(*bytes) : std::string();
    }

    std::vector<StartedProgram> started_in(const FoundFile& file) const {
        return started_programs(read(file.path), start_);
    }

    void add_installed(const FoundFile& file) {
        const std::string_view name = base::file_name(file.path);
        if (!name.starts_with("setup.") && name != "pyproject.toml") return;
        const std::string text = read(file.path);
        for (const std::string& extra : package_extras(file.path, text)) {
            if (has_part(extra, adapted_.target_words))
                project_.install.push_back(
                    base::format("pip install {}", base::shell_word(package_at(file.path) + "[" + extra + "]")));
        }
        for (EntryPoint& point : entry_points(file.path, text)) {
            StartedProgram module;
            std::ranges::replace(point.module, '.', '/');
            for (const std::string_view end : {".py", "/__init__.py"}) {
                module.program = point.module + std::string(end);
                const std::optional<Path> path = names_.find(module, file.path);
                if (!path) continue;
                add(*path, ProgramRank::installed, place(file.path, point.line));
                add_command(found_.at(*path), point, place(file.path, point.line));
                commands_.emplace(point.command, *path);
                break;
            }
        }
    }

    // A file with several commands is a program for each of them.
    void add_command(Program& program, const EntryPoint& point, std::string origin) {
        const bool is_other = !program.function.empty() && program.function != point.function;
        Program& out = is_other ? others_.emplace_back(program) : program;
        if (is_other && out.rank != ProgramRank::left_out) out.rank = ProgramRank::installed;
        if (is_other) out.origin = std::move(origin);
        if (is_other || out.command.empty()) out.command = point.command;
        if (is_other || out.function.empty()) out.function = point.function;
    }

    // As pip has it: "." or "./sub".
    std::string package_at(const Path& file) const {
        const Path folder = base::directory_below(project_.shown(file));
        return folder.empty() ? std::string(".") : base::format("./{}", folder);
    }

    void add_install(const FoundFile& file) {
        if (file.type == FileType::requirements)
            project_.install.push_back(base::format("pip install -r {}", base::shell_path(project_.shown(file.path))));
        if (file.type == FileType::dockerfile) project_.install.push_back(project_.shown(file.path));
    }

    std::string place(const Path& path, std::uint32_t line) const {
        return base::format("{}:{}", project_.shown(path), line);
    }

    void add_started(const Path& text, std::vector<StartedProgram>& programs) {
        for (StartedProgram& started : programs) {
            const auto path = names_.find(started, text);
            if (!path) continue;
            add(*path, ProgramRank::in_script, place(text, started.line));
            Program& program = found_.at(*path);
            if (program.target_script.empty() && has_part(text, adapted_.target_words))
                program.target_script = project_.shown(text);
        }
    }

    // What its commands start, directly or by a script of the project, in the order of the text.
    void read_document(const Path& document) {
        std::string text;
        // `python train.py`, and then `python sample.py`: two commands.
        for (const char c : read(document)) {
            if (c == '`') text += " ; ";
            else text += c;
        }
        std::vector<std::pair<std::uint32_t, Path>> by_line;
        for (StartedProgram& started : started_programs(text, start_)) {
            if (auto path = names_.find(started, document)) by_line.emplace_back(started.line, std::move(*path));
        }
        std::uint32_t number = 0;
        for (std::string_view rest = text; !rest.empty();) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            ++number;
            for (Path& path : commands_in(rest.substr(0, end), document)) by_line.emplace_back(number, std::move(path));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        std::ranges::stable_sort(by_line, {}, [](const auto& found) { return found.first; });
        for (const auto& [line, path] : by_line) add(path, ProgramRank::documented, place(document, line));
    }

    // Of a line: `bash scripts/train.sh`, and a command that the package installs, which the line begins with.
    std::vector<Path> commands_in(std::string_view line, const Path& document) const {
        std::vector<Path> out;
        const std::vector<std::string_view> words = base::split(line, ' ');
        for (std::size_t i = 0; i < words.size(); ++i) {
            const bool is_first = i == 0 || words[i - 1] == "$" || words[i - 1] == ";" ||
                                  words[i - 1].find('=') != std::string_view::npos;
            const auto command = is_first ? commands_.find(words[i]) : commands_.end();
            if (command != commands_.end()) out.push_back(command->second);
            if (!words[i].ends_with(".sh")) continue;
            const auto beside =
                scripts_.find(base::normal_path(base::join(base::directory_below(document), Path(words[i]))));
            const auto script = beside != scripts_.end() ? beside : scripts_.find(base::normal_path(Path(words[i])));
            if (script == scripts_.end()) continue;
            for (StartedProgram started : script->second) {
                if (auto path = names_.find(started, script->first)) out.push_back(std::move(*path));
            }
            add_arguments(words, i + 1, document, out);
        }
        return out;
    }

    // `bash train.sh tasks/train.py`: the script starts what it is given.
    void add_arguments(const std::vector<std::string_view>& words, std::size_t from, const Path& document,
                       std::vector<Path>& out) const {
        for (std::size_t i = from; i < words.size() && words[i] != ";"; ++i) {
            StartedProgram argument;
            argument.program = words[i];
            if (!words[i].ends_with(".py")) continue;
            if (auto path = names_.find(argument, document)) out.push_back(std::move(*path));
        }
    }

    base::FileSystem& fs_;
    const StartFacts& start_;
    const ProgramFacts& facts_;
    const AdaptedNames& adapted_;
    const std::vector<std::string>& framework_;  // modules
    Project& project_;
    const ProgramNames names_;
    std::vector<Path> documents_;
    std::map<Path, std::vector<StartedProgram>> scripts_;
    std::map<std::string, Path, std::less<>> commands_;
    std::map<Path, Program> found_;
    std::vector<Program> others_;        // see add_command
    std::map<Path, std::size_t> order_;  // in which they were found
    std::size_t count_ = 0;
};

}  // namespace

base::Status find_programs(base::FileSystem& fs, const Knowledge& knowledge, std::vector<Project>& projects) {
    TRY_ASSIGN(const StartFacts start, StartFacts::load(knowledge.store));
    TRY_ASSIGN(const auto facts, base::read_rule_record<ProgramFacts>(knowledge.store, "rules/start/programs.json"));
    for (Project& project : projects) Search(fs, start, facts, knowledge.rules, project).run();
    return {};
}

}  // namespace migrator
