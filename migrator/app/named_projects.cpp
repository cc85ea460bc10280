#include "migrator/app/named_projects.h"

#include <algorithm>

#include "migrator/app/named_input.h"
#include "migrator/project/path_reader.h"

namespace migrator {
namespace {

using base::FileKind;
using base::Path;

// A report inside the project must not be analysed by the next run.
DiscoveryOptions discovery_options(const Options& options, const Path& argument, const PathReader& paths) {
    DiscoveryOptions out;
    out.paths = paths;
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

base::Result<std::vector<Project>> find_projects(base::FileSystem& fs, const base::DataStore& store,
                                                 const Options& options) {
    std::vector<Project> projects;
    if (options.reads_standard_input()) {
        TRY_ASSIGN(projects.emplace_back(), standard_input_project(options));
        return projects;
    }
    TRY_ASSIGN(const PathReader paths, path_reader(store));
    for (const Path& argument : options.paths) {
        TRY_ASSIGN(FileList files, discover(fs, argument, discovery_options(options, argument, paths)));
        TRY_ASSIGN(base::FileInfo info, fs.info(argument));
        TRY(check_is_project(fs, argument, info.kind == FileKind::directory, files));
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

}  // namespace migrator
