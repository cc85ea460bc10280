#include "migrator/app/path_checks.h"

#include "base/file_set.h"
#include "base/format.h"
#include "migrator/app/named_input.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::fail;
using base::FileInfo;
using base::FileKind;
using base::Path;

base::Status check_output(base::FileSystem& fs, const Options& options) {
    const Path& output = options.output;
    const Path& project = options.paths.front();
    if (base::is_inside(fs, output, project)) {
        return fail(ErrorKind::usage,
                    "the output directory is the project or lies in it; name one outside of " + project, output);
    }
    if (base::is_inside(fs, project, output)) {
        return fail(ErrorKind::usage, "the project lies in the output directory; name an output outside of it", output);
    }
    if (!fs.exists(output)) return {};
    TRY_ASSIGN(FileInfo info, fs.link_info(output));
    if (info.kind == FileKind::symlink) {
        return fail(ErrorKind::usage, "the output is a symbolic link; name the directory itself", output);
    }
    if (info.kind != FileKind::directory)
        return fail(ErrorKind::usage, "the output is a file; name a directory", output);
    return {};
}

base::Status check_report_directory(base::FileSystem& fs, const Options& options) {
    const Path& directory = options.report_directory;
    if (!options.output.empty() && base::lexically_inside(directory, options.output)) {
        return fail(ErrorKind::usage, "the report directory lies in the output directory; name one outside of it",
                    directory);
    }
    if (!fs.exists(directory)) return {};
    if (base::is_directory(fs, directory)) return {};
    return fail(ErrorKind::usage, "the report requires a directory, and something else has this name", directory);
}

}  // namespace

base::Status check_skeleton_directory(base::FileSystem& fs, const Options& options) {
    const Path& directory = options.skeleton;
    if (directory.empty()) return {};
    if (!options.output.empty() && base::lexically_inside(directory, options.output)) {
        return fail(ErrorKind::usage,
                    "the directory for skeletons lies in the output directory; name one outside of it", directory);
    }
    if (!fs.exists(directory)) return {};
    if (base::is_directory(fs, directory)) {
        TRY_ASSIGN(const bool is_free, base::FileSet::is_free(fs, directory));
        if (is_free) return {};
    }
    return fail(ErrorKind::usage, "skeletons are written to a new or empty directory, and this one is not empty",
                directory);
}

base::Status check_paths(base::FileSystem& fs, const Options& options) {
    for (const Path& path : options.paths) {
        if (!options.reads_standard_input()) TRY(check_is_there(fs, path));
    }
    if (!options.rules.empty()) {
        auto info = fs.info(options.rules);
        if (!info || info->kind != FileKind::directory) {
            return fail(ErrorKind::usage, "--rules requires a directory, and this is not one", options.rules);
        }
    }
    if (!options.output.empty()) TRY(check_output(fs, options));
    if (!options.report_directory.empty()) TRY(check_report_directory(fs, options));
    return {};
}

base::Status follow_named_links(base::FileSystem& fs, std::vector<Path>& paths) {
    for (Path& path : paths) {
        const auto info = fs.link_info(path);
        if (!info || info->kind != FileKind::symlink) continue;
        TRY_ASSIGN(const Path here, fs.real_path("."));
        TRY_ASSIGN(path, fs.real_path(path));
        if (path.starts_with(base::join(here, ""))) path.erase(0, base::join(here, "").size());
    }
    return {};
}

}  // namespace migrator
