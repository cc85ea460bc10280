#include "migrator/app/start_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "migrator/app/notebook_exports.h"
#include "migrator/app/start_exports.h"
#include "migrator/project/program_names.h"
#include "migrator/project/training_reach.h"
#include "migrator/source/notebook.h"
#include "migrator/start/start_script.h"

namespace migrator {
namespace {

using base::Path;

constexpr std::string_view kPackageFile = "__init__.py";

// A command of the project, and the script that has it.
struct Start {
    StartedProgram started;
    Path script;  // as the report shows it
    std::vector<std::string> exports;
};

bool is_script(const Job& job) {
    return job.file->type == FileType::shell || job.file->type == FileType::yaml ||
           job.file->type == FileType::dockerfile || job.file->type == FileType::makefile ||
           job.file->type == FileType::notebook;
}

class Starter {
public:
    Starter(base::FileSystem& fs, const Knowledge& knowledge, const StartFacts& facts, const Project& project)
        : fs_(fs), knowledge_(knowledge), facts_(facts), project_(project), names_(project.files) {}

    void look_at(const Job& job, const JobFacts& facts) {
        if (job.file->type == FileType::python) {
            if (facts.training.trains) training_.push_back(job.file->path);
        } else if (is_script(job)) {
            scripts_.push_back(&job);
        }
    }

    base::Status run(const ProjectConditions& conditions, StartFiles& out) {
        for (const Job* script : scripts_) TRY(read_script(*script));
        std::set<Path> programs;
        for (const auto& [program, start] : started_) programs.insert(program);
        for (Path& program : project_.imports.programs_loading(training_)) programs.insert(std::move(program));
        for (const Path& file : training_) {
            if (project_.imports.is_program(file)) programs.insert(file);
        }
        std::map<Path, std::size_t> in_directory;
        for (const Path& program : programs) ++in_directory[base::parent(program)];
        std::vector<const StartVariable*> variables;
        for (const StartVariable& variable : facts_.variables) {
            if (!conditions.mentions_any(variable.unless_mentioned)) variables.push_back(&variable);
        }
        for (const Path& program : programs)
            TRY(add(program, in_directory[base::parent(program)] == 1, variables, out));
        return {};
    }

private:
    base::Status read_script(const Job& script) {
        TRY_ASSIGN(const std::string content, project_.read(fs_, script.file->path));
        std::optional<NotebookCode> code;
        if (script.file->type == FileType::notebook) {
            auto read = NotebookCode::read(content, script.file->path);
            if (!read) return {};
            code = std::move(*read);
        }
        const std::string& text = code ? code->shell().text() : content;
        for (StartedProgram& started : started_programs(text, facts_)) {
            const std::optional<Path> program = names_.find(started, script.file->path);
            if (!program || started_.contains(*program) || !loads_framework(*program)) continue;
            std::vector<std::string> exports = exports_of_start(script, content, code, started.line);
            started_.try_emplace(*program,
                                 Start{std::move(started), project_.shown(script.file->path), std::move(exports)});
        }
        return {};
    }

    // What its own start gives the program of this line, as lines of the shell.
    std::vector<std::string> exports_of_start(const Job& script, std::string_view content,
                                              const std::optional<NotebookCode>& code, std::uint32_t line) const {
        const auto shown = [&](const std::vector<ScriptAssignment>& assignments) {
            return start_exports(knowledge_.rules, facts_, assignments);
        };
        if (code) return shown(notebook_exports(*code, content, line));
        if (script.file->type == FileType::makefile) return shown(make_exports(content, line));
        if (script.file->type != FileType::shell) return settings_apart(facts_, content);
        return shown(
            script_exports(content, line, [&](std::string_view path) { return sourced(path, script.file->path); }));
    }

    // Beside the script, or from the root of the project.
    std::optional<std::string> sourced(std::string_view named, const Path& script) const {
        for (const Path& path :
             {base::normal_path(base::join(base::directory_below(script), Path(named))), Path(named)}) {
            if (!std::ranges::binary_search(project_.files.files, path, {}, &FoundFile::path)) continue;
            if (auto text = project_.read(fs_, path)) return std::move(*text);
        }
        return std::nullopt;
    }

    bool loads_framework(const Path& program) {
        const auto [known, is_new] = loads_framework_.try_emplace(program);
        if (!is_new) return known->second;
        const std::vector<std::string> loads = project_.imports.loads(program);
        known->second = std::ranges::any_of(knowledge_.rules.framework.loaded_by, [&](const std::string& module) {
            return std::ranges::any_of(loads, [&](const std::string& name) { return is_within(name, module); });
        });
        return known->second;
    }

    base::Status add(const Path& program, bool is_alone, const std::vector<const StartVariable*>& variables,
                     StartFiles& out) {
        const std::string name(base::file_name(program));
        const Path script =
            base::join(base::directory_below(program),
                       is_alone ? Path("run_npu.sh") : base::format("run_npu_{}.sh", name.substr(0, name.rfind('.'))));
        TRY_ASSIGN(const bool is_there, base::is_there(fs_, project_.on_disk(script)));
        if (is_there) {
            out.notes.push_back({"{script} is there already and stays as it is: {program} gets no other.",
                                 {{"script", project_.shown(script)}, {"program", project_.shown(program)}}});
            return {};
        }
        TRY_ASSIGN(const ProgramToStart start, how_to_start(program));
        out.files.push_back({&project_,
                             script,
                             FileType::shell,
                             start_script(start, facts_, variables, knowledge_.store),
                             0755,
                             "file.start_script",
                             "A new file: the script that starts the program on NPUs; its arguments are the program's.",
                             {}});
        return {};
    }

    base::Result<ProgramToStart> how_to_start(const Path& program) {
        ProgramToStart out;
        if (const auto found = started_.find(program); found != started_.end()) {
            const auto& [started, script, exports] = found->second;
            out = {started.launcher,
                   Path(base::file_name(program)),
                   false,
                   0,
                   started.processes,
                   {},
                   shown_headers(facts_, started.headers),
                   exports};
            if (base::format("/{}", program).ends_with("/" + started.program)) out.program = started.program;
            out.is_module = started.is_module;
            const std::string command = shown_command(facts_, started);
            out.origin = script.ends_with(".ipynb") ? base::format("A cell of {}: {}", script, command)
                                                    : base::format("Line {} of {}: {}", started.line, script, command);
        } else {
            TRY_ASSIGN(out.launcher, launcher_by_text(program));
            out.program = base::file_name(program);
            for (Path at = base::directory_below(program); is_package(at); at = base::directory_below(at)) {
                out.program = base::join(base::file_name(at), out.program);
                out.is_module = true;
            }
        }
        out.levels = static_cast<std::size_t>(std::ranges::count(out.program, '/'));
        if (!out.is_module) return out;
        out.program.resize(out.program.rfind('.'));
        std::ranges::replace(out.program, '/', '.');
        return out;
    }

    bool is_package(const Path& directory) const {
        return !directory.empty() && names_.contains(base::join(directory, kPackageFile));
    }

    // By what the program's files have: the variables of one that starts several processes.
    base::Result<const Launcher*> launcher_by_text(const Path& program) {
        std::set<std::string_view> mentioned;
        for (const Path& file : project_.imports.files_of(program)) {
            TRY_ASSIGN(const std::set<std::string_view>* words, words_in(file));
            mentioned.insert(words->begin(), words->end());
        }
        const auto mentions = [&](const std::vector<std::string>& words) {
            return std::ranges::any_of(words, [&](const std::string& word) { return mentioned.contains(word); });
        };
        for (const Launcher& launcher : facts_.launchers) {
            if (mentions(launcher.mentioned) && !mentions(launcher.unless_mentioned)) return &launcher;
        }
        return &facts_.launchers.back();
    }

    // Those that launchers ask for; each file is read once.
    base::Result<const std::set<std::string_view>*> words_in(const Path& file) {
        const auto [known, is_new] = words_in_.try_emplace(file);
        if (!is_new) return &known->second;
        TRY_ASSIGN(const std::string text, project_.read(fs_, file));
        for (const Launcher& launcher : facts_.launchers) {
            for (const auto* words : {&launcher.mentioned, &launcher.unless_mentioned}) {
                for (const std::string& word : *words) {
                    if (text.find(word) != text.npos) known->second.insert(word);
                }
            }
        }
        return &known->second;
    }

    base::FileSystem& fs_;
    const Knowledge& knowledge_;
    const StartFacts& facts_;
    const Project& project_;
    const ProgramNames names_;
    std::vector<Path> training_;
    std::vector<const Job*> scripts_;
    std::map<Path, bool> loads_framework_;
    std::map<Path, std::set<std::string_view>> words_in_;
    std::map<Path, Start> started_;  // by program: the first command that starts it
};

}  // namespace

std::vector<std::string> mentions_of(const StartFacts& facts) {
    std::vector<std::string> out;
    for (const StartVariable& variable : facts.variables)
        out.insert(out.end(), variable.unless_mentioned.begin(), variable.unless_mentioned.end());
    return out;
}

base::Result<StartFiles> start_files(base::FileSystem& fs, const Options& options, const Knowledge& knowledge,
                                     const ProjectConditions& conditions, const std::vector<Job>& jobs,
                                     const std::vector<JobFacts>& facts) {
    StartFiles out;
    if (!options.start_script) return out;
    TRY_ASSIGN(const StartFacts start, StartFacts::load(knowledge.store));
    std::map<const Project*, Starter> starters;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Project& project = *jobs[i].project;
        starters.try_emplace(&project, fs, knowledge, start, project).first->second.look_at(jobs[i], facts[i]);
    }
    for (auto& [project, starter] : starters) TRY(starter.run(conditions, out));
    if (out.files.empty() && out.notes.empty())
        out.notes.emplace_back("--start-script found no program that trains or that a script starts.");
    std::ranges::sort(out.files, {}, [](const NewFile& file) { return file.project->shown(file.path); });
    return out;
}

}  // namespace migrator
