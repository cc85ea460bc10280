#include "migrator/app/project.h"

#include <algorithm>
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
    Path root = normal_path(argument);
    Path report = normal_path(options.report_directory);
    if (options.report_directory.empty()) return out;
    if (root == "." && !report.starts_with("/") && !report.starts_with("..")) out.exclude.push_back("/" + report + "/");
    if (report.starts_with(root + "/")) out.exclude.push_back(report.substr(root.size()) + "/");
    return out;
}

// With one path, report paths are relative to it; with several they start with the one they came from.
Path prefix_of(const Options& options, const Path& argument, bool is_directory) {
    if (options.command == Command::migrate || (options.paths.size() == 1 && is_directory)) return "";
    Path directory = normal_path(is_directory ? argument : base::parent(argument));
    return directory == "." ? "" : directory;
}

std::vector<std::string> members_of(base::FileSystem& fs, const Project& project, const FoundFile& file) {
    auto bytes = base::read_file(fs, project.on_disk(file.path));
    // A file that cannot be read is told of when it is analysed. Only classes have members.
    if (!bytes || bytes->find("class") == std::string::npos) return {};
    SourceFile source = make_source_file(file.path, file.type, std::move(*bytes));
    if (source.problem) return {};
    return member_names(SyntaxTree::parse(source.text));
}

std::string some_of(const std::vector<Path>& paths) {
    std::string out;
    for (std::size_t i = 0; i < std::min(kNamesInNote, paths.size()); ++i) out += (i == 0 ? "" : ", ") + paths[i];
    if (paths.size() > kNamesInNote)
        out += base::format(" and {} more", base::with_separators(paths.size() - kNamesInNote));
    return out;
}

}  // namespace

base::Result<std::vector<Project>> find_projects(base::FileSystem& fs, const Options& options) {
    std::vector<Project> projects;
    for (const Path& argument : options.paths) {
        TRY_ASSIGN(FileList files, discover(fs, argument, discovery_options(options, argument)));
        TRY_ASSIGN(base::FileInfo info, fs.info(argument));
        bool is_directory = info.kind == FileKind::directory;
        ModuleNames modules(files);
        projects.push_back({argument,
                            is_directory,
                            prefix_of(options, argument, is_directory),
                            std::move(files),
                            std::move(modules),
                            {}});
    }
    return projects;
}

base::Status collect_members(base::FileSystem& fs, const Options& options, std::vector<Project>& projects) {
    for (Project& project : projects) {
        std::vector<const FoundFile*> modules;
        for (const FoundFile& file : project.files.files) {
            if (file.analysed && file.type == FileType::python) modules.push_back(&file);
        }
        std::vector<std::vector<std::string>> members(modules.size());
        TRY(base::parallel_for(modules.size(), options.threads, [&](std::size_t i) -> base::Status {
            members[i] = members_of(fs, project, *modules[i]);
            return {};
        }));
        for (auto& names : members)
            project.members.insert(project.members.end(), std::move_iterator(names.begin()),
                                   std::move_iterator(names.end()));
        std::sort(project.members.begin(), project.members.end());
        project.members.erase(std::unique(project.members.begin(), project.members.end()), project.members.end());
    }
    return {};
}

std::vector<std::string> notes_of(const Project& project, Command command) {
    std::vector<std::string> notes;
    if (!project.files.directories_skipped.empty()) {
        std::vector<Path> shown;
        for (const Path& path : project.files.directories_skipped) shown.push_back(project.shown(path));
        notes.push_back(base::format(
            "{}: {}.", command == Command::migrate ? "Neither analysed nor copied" : "Not analysed", some_of(shown)));
    }
    std::map<std::string, std::vector<Path>> by_reason;
    for (const FoundFile& file : project.files.files) {
        if (!file.skipped_because.empty()) by_reason[file.skipped_because].push_back(project.shown(file.path));
    }
    for (const auto& [reason, paths] : by_reason) {
        notes.push_back(
            base::format("{} not analysed ({}): {}.", base::plural(paths.size(), "file"), reason, some_of(paths)));
    }
    return notes;
}

}  // namespace migrator
