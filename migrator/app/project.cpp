#include "migrator/app/project.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>

#include "base/format.h"
#include "base/human.h"
#include "base/parallel.h"
#include "migrator/app/path_checks.h"
#include "migrator/match/matcher.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {
namespace {

using base::FileKind;
using base::Path;

constexpr std::size_t kNamesInNote = 5;

// A report inside the project must not be analysed by the next run.
DiscoveryOptions discovery_options(const Options& options, const Path& argument) {
    DiscoveryOptions out;
    out.include = options.include;
    out.exclude = options.exclude;
    Path root = base::normal_path(argument);
    Path report = base::normal_path(options.report_directory);
    if (options.report_directory.empty()) return out;
    if (root == "." && !report.starts_with("/") && !report.starts_with("..")) out.exclude.push_back("/" + report + "/");
    if (report.starts_with(root + "/")) out.exclude.push_back(report.substr(root.size()) + "/");
    return out;
}

// With one path, report paths are relative to it; with several they start with the one they came from.
Path prefix_of(const Options& options, const Path& argument, bool is_directory) {
    const bool migrates_one = options.command == Command::migrate && options.paths.size() == 1;
    if (migrates_one || (options.paths.size() == 1 && is_directory)) return "";
    Path directory = base::normal_path(is_directory ? argument : base::parent(argument));
    return directory == "." ? "" : directory;
}

// Parsing costs more than all the rest, so files are kept with their trees; beyond this they are parsed again when it is
// their turn.
constexpr std::size_t kKeptBytes = std::size_t{256} << 20;

// What one Python file tells the others.
struct FileFacts {
    std::vector<std::string> members;
    std::vector<std::string> imports;
    std::optional<PackedSummary> summary;
    bool is_guarded = false;    // see ImportGraph::add
    bool holds_values = false;  // see match/value_ends.h
    std::unique_ptr<ParsedFile> parsed;
};

FileFacts facts_of(base::FileSystem& fs, const Project& project, const Knowledge& knowledge, const FoundFile& file) {
    FileFacts out;
    auto bytes = project.read(fs, file.path);
    // A file that cannot be read is told of when it is analysed.
    if (!bytes) return out;
    out.parsed = std::make_unique<ParsedFile>();
    out.parsed->source = make_source_file(file.path, file.type, std::move(*bytes), file.mode);
    if (out.parsed->source.problem) return out;
    const SyntaxTree& tree = out.parsed->tree = SyntaxTree::parse(out.parsed->source.text);
    out.members = member_names(tree);
    ModuleContext context = module_context(project, file.path);
    ModuleSummary summary = summarise(tree, knowledge.facts, context);
    if (!summary.module.empty()) out.summary = summary;
    out.imports = std::move(summary.imports);
    out.holds_values = holds_values(tree, knowledge.rules);
    out.is_guarded = out.parsed->source.text.find("__main__") != std::string::npos;
    return out;
}

// What an editor sends is a project of one file.
base::Result<Project> standard_input_project(const Options& options) {
    Project project;
    project.argument = kStandardInput;
    project.is_directory = false;
    project.standard_input = options.stdin_text;
    FoundFile file;
    file.path = options.stdin_name;
    file.type = file_type_of(options.stdin_name);
    file.bytes = options.stdin_text.size();
    file.analysed = true;
    if (file.type == FileType::other)
        return base::fail(base::ErrorKind::usage,
                          "files of this name are not analysed; name one of a known kind, such as train.py, with "
                          "--stdin-name",
                          options.stdin_name);
    project.files.root = ".";
    project.root.clear();
    project.files.files.push_back(std::move(file));
    project.modules = ModuleNames(project.files);
    return project;
}

bool is_elsewhere(const Path& prefix) { return prefix.starts_with("/") || prefix == ".." || prefix.starts_with("../"); }

// The longest directory that holds both; both are absolute.
Path common_directory(const Path& a, const Path& b) {
    const std::string in = base::join(b, "");
    Path out = a;
    while (!in.starts_with(base::join(out, ""))) out = base::parent(out);
    return out;
}

// Paths of a report stay below its root, so that they can be applied: where the working directory does not hold them all,
// the root is the directory that they have in common.
base::Status use_common_root(base::FileSystem& fs, std::vector<Project>& projects) {
    if (std::none_of(projects.begin(), projects.end(),
                     [](const Project& project) { return is_elsewhere(project.prefix); }))
        return {};
    Path common;
    for (Project& project : projects) {
        if (projects.size() > 1 && !project.prefix.starts_with("/")) {
            TRY_ASSIGN(const Path here, fs.real_path("."));
            project.prefix = base::normal_path(base::join(here, project.prefix));
        }
        common = common.empty() ? project.prefix : common_directory(common, project.prefix);
    }
    const std::size_t cut = base::join(common, "").size();
    for (Project& project : projects) {
        project.root = common;
        project.prefix = project.prefix == common ? "" : project.prefix.substr(cut);
    }
    return {};
}

}  // namespace

void ParsedFile::pack() {
    bindings.reset();
    if (packed.empty()) packed = tree.pack();
    tree = {};
}

void ParsedFile::unpack() {
    if (tree.size() == 0) tree = SyntaxTree::unpack(packed, source.text);
}

base::Result<std::vector<Project>> find_projects(base::FileSystem& fs, const Options& options) {
    std::vector<Project> projects;
    if (options.reads_standard_input()) {
        TRY_ASSIGN(projects.emplace_back(), standard_input_project(options));
        return projects;
    }
    for (const Path& argument : options.paths) {
        TRY_ASSIGN(FileList files, discover(fs, argument, discovery_options(options, argument)));
        TRY_ASSIGN(base::FileInfo info, fs.info(argument));
        Project& project = projects.emplace_back();
        project.argument = argument;
        project.is_directory = info.kind == FileKind::directory;
        project.prefix = prefix_of(options, argument, project.is_directory);
        if (options.paths.size() == 1 && project.prefix.empty()) project.root = files.root;
        project.modules = ModuleNames(files);
        project.files = std::move(files);
    }
    TRY(use_common_root(fs, projects));
    return projects;
}

std::optional<std::size_t> find_python_file(const Project& project, const Path& named) {
    const std::vector<FoundFile>& files = project.files.files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const bool same = files[i].path == base::normal_path(named) ||
                          base::normal_path(project.on_disk(files[i].path)) == base::normal_path(named);
        if (same && files[i].analysed && files[i].type == FileType::python) return i;
    }
    return std::nullopt;
}

base::Result<SourceFile> read_source(base::FileSystem& fs, const Project& project, std::size_t number) {
    if (number < project.parsed.size() && project.parsed[number]) return project.parsed[number]->source;
    const FoundFile& file = project.files.files[number];
    TRY_ASSIGN(std::string bytes, project.read(fs, file.path));
    return make_source_file(file.path, file.type, std::move(bytes), file.mode);
}

ModuleContext module_context(const Project& project, const Path& path) {
    ModuleContext out;
    out.module_name = project.modules.of(path);
    out.is_package = base::file_name(path) == "__init__.py";
    out.project_modules = project.modules.all();
    out.project_packages = project.modules.packages();
    out.index = project.index.get();
    return out;
}

base::Status index_projects(base::FileSystem& fs, const Options& options, const Knowledge& knowledge,
                            std::vector<Project>& projects) {
    const TypeFacts& facts = knowledge.facts;
    std::atomic<std::size_t> kept = 0;
    for (Project& project : projects) {
        const std::vector<FoundFile>& files = project.files.files;
        std::vector<std::size_t> modules;
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (files[i].analysed && files[i].type == FileType::python) modules.push_back(i);
        }
        project.parsed.resize(files.size());
        project.holds_values.resize(files.size());
        std::vector<FileFacts> found(modules.size());
        TRY(base::parallel_for(modules.size(), options.threads, [&](std::size_t i) -> base::Status {
            found[i] = facts_of(fs, project, knowledge, files[modules[i]]);
            if (found[i].parsed) found[i].parsed->pack();
            const std::size_t bytes = found[i].parsed ? found[i].parsed->packed_bytes() : 0;
            if (kept.fetch_add(bytes) + bytes <= kKeptBytes) {
                project.parsed[modules[i]] = std::move(found[i].parsed);
            } else {
                kept -= bytes;
                found[i].parsed.reset();
            }
            return {};
        }));
        auto index = std::make_shared<ProjectIndex>(facts);
        for (std::size_t i = 0; i < modules.size(); ++i) {
            project.members.insert(project.members.end(), std::move_iterator(found[i].members.begin()),
                                   std::move_iterator(found[i].members.end()));
            project.holds_values[modules[i]] = found[i].holds_values;
            const base::Path& path = files[modules[i]].path;
            const std::vector<std::string> names = project.modules.names_of(path);
            project.imports.add(path, names, std::move(found[i].imports), found[i].is_guarded);
            if (found[i].summary) index->add(std::move(*found[i].summary), names);
        }
        project.imports.finish();
        const std::vector<std::string>& framework = knowledge.rules.framework().loaded_by;
        project.loading_framework = project.imports.loading_through_others(framework);
        project.beside_framework = project.imports.imported_by_loading(framework);
        std::sort(project.members.begin(), project.members.end());
        project.members.erase(std::unique(project.members.begin(), project.members.end()), project.members.end());
        project.index = std::move(index);
    }
    return {};
}

MatchContext match_context(const Knowledge& knowledge, const Project& project, const Path& path) {
    MatchContext context;
    context.rules = &knowledge.rules;
    context.facts = &knowledge.facts;
    context.module = module_context(project, path);
    context.project_members = project.members;
    context.loads_framework = std::ranges::binary_search(project.loading_framework, path);
    context.is_beside_framework = std::ranges::binary_search(project.beside_framework, path);
    return context;
}

base::Message some_of(const std::vector<std::string>& paths) {
    std::string shown;
    for (std::size_t i = 0; i < std::min(kNamesInNote, paths.size()); ++i) shown += (i == 0 ? "" : ", ") + paths[i];
    if (paths.size() <= kNamesInNote) return shown;
    return {"{paths} and {count} more",
            {{"paths", shown}, {"count", base::with_separators(paths.size() - kNamesInNote)}}};
}

std::vector<base::Message> notes_of(const Project& project, Command command) {
    std::vector<base::Message> notes;
    if (!project.files.directories_skipped.empty()) {
        std::vector<Path> shown;
        for (const Path& path : project.files.directories_skipped) shown.push_back(project.shown(path));
        notes.push_back(
            {command == Command::migrate ? "Neither analysed nor copied: {paths}." : "Not analysed: {paths}.",
             {{"paths", some_of(shown)}}});
    }
    std::map<std::string, std::vector<Path>> by_reason;
    for (const FoundFile& file : project.files.files) {
        if (!file.skipped_because.empty()) by_reason[file.skipped_because].push_back(project.shown(file.path));
    }
    for (const auto& [reason, paths] : by_reason) {
        notes.push_back(
            {paths.size() == 1 ? "1 file not analysed ({reason}): {paths}."
                               : "{count} files not analysed ({reason}): {paths}.",
             {{"count", base::with_separators(paths.size())}, {"reason", reason}, {"paths", some_of(paths)}}});
    }
    return notes;
}

}  // namespace migrator
