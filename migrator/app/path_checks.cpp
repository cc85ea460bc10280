#include "migrator/app/path_checks.h"

#include "base/format.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::fail;
using base::FileInfo;
using base::FileKind;
using base::Path;

constexpr int kMaxDepth = 4096;  // of nested directories, as a guard against a file system without a root

bool same_file(const FileInfo& a, const FileInfo& b) { return a.inode == b.inode && a.device == b.device; }

bool lexically_inside(const Path& inner, const Path& outer) {
    Path in = normal_path(inner);
    Path out = normal_path(outer);
    if (in == out) return true;
    if (out == ".") return !in.starts_with("/") && in != ".." && !in.starts_with("../");
    return in.starts_with(out == "/" ? out : out + "/");
}

base::Status check_output(base::FileSystem& fs, const Options& options) {
    const Path& output = options.output;
    const Path& project = options.paths.front();
    if (is_inside(fs, output, project)) {
        return fail(ErrorKind::usage,
                    "the output directory is the project or lies in it; name one outside of " + project, output);
    }
    if (is_inside(fs, project, output)) {
        return fail(ErrorKind::usage, "the project lies in the output directory; name an output outside of it", output);
    }
    if (!fs.exists(output)) return {};
    TRY_ASSIGN(FileInfo info, fs.link_info(output));
    if (info.kind == FileKind::symlink) {
        return fail(ErrorKind::usage, "the output is a symbolic link; name the directory itself", output);
    }
    if (info.kind != FileKind::directory)
        return fail(ErrorKind::usage, "the output is a file; name a directory", output);
    TRY_ASSIGN(auto entries, fs.list(output));
    if (entries.empty()) return {};
    if (!options.force)
        return fail(ErrorKind::usage,
                    "the output directory is not empty; name a new one, or replace this one with --force", output);
    if (fs.exists(output + ".previous"))
        return fail(ErrorKind::usage, "--force needs this name for the old copy; remove it or name another output",
                    output + ".previous");
    return {};
}

base::Status check_report_directory(base::FileSystem& fs, const Options& options) {
    const Path& directory = options.report_directory;
    if (!options.output.empty() && lexically_inside(directory, options.output)) {
        return fail(ErrorKind::usage, "the report directory lies in the output directory; name one outside of it",
                    directory);
    }
    if (!fs.exists(directory)) return {};
    auto info = fs.info(directory);
    if (info && info->kind == FileKind::directory) return {};
    return fail(ErrorKind::usage, "the report needs a directory, and something else has this name", directory);
}

}  // namespace

Path normal_path(const Path& path) {
    std::vector<std::string_view> parts;
    bool absolute = path.starts_with("/");
    for (std::size_t at = 0; at < path.size();) {
        std::size_t slash = std::min(path.find('/', at), path.size());
        std::string_view part = std::string_view(path).substr(at, slash - at);
        at = slash + 1;
        if (part.empty() || part == ".") continue;
        if (part != ".." || parts.empty() || parts.back() == "..") {
            if (part != ".." || !absolute) parts.push_back(part);
        } else {
            parts.pop_back();
        }
    }
    Path out = absolute ? "/" : "";
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : "/") + std::string(parts[i]);
    return out.empty() ? "." : out;
}

std::vector<Path> directories_above(base::FileSystem& fs, const Path& directory) {
    constexpr std::size_t kMaxLevels = 64;
    std::vector<Path> out{normal_path(directory)};
    while (out.size() < kMaxLevels && out.back() != "/" && !fs.exists(base::join(out.back(), ".git"))) {
        const Path& at = out.back();
        // A relative path goes on above the working directory.
        const bool is_up = at == "." || at == ".." || at.ends_with("/..");
        out.push_back(is_up ? normal_path(base::join(at, "..")) : base::parent(at));
    }
    return out;
}

bool is_inside(base::FileSystem& fs, const Path& inner, const Path& outer) {
    if (lexically_inside(inner, outer)) return true;
    auto target = fs.info(outer);
    if (!target) return false;
    Path at = normal_path(inner);
    while (!fs.info(at) && at != "." && at != "/") at = base::parent(at);
    for (int depth = 0; depth < kMaxDepth; ++depth) {
        auto here = fs.info(at);
        if (!here) return false;
        if (same_file(*here, *target)) return true;
        // ".." of the real directory: a link above it does not count.
        at = base::join(at, "..");
        auto above = fs.info(at);
        if (!above || same_file(*above, *here)) return false;
    }
    return false;
}

base::Status check_paths(base::FileSystem& fs, const Options& options) {
    for (const Path& path : options.paths) {
        if (!options.reads_standard_input() && !fs.exists(path))
            return fail(ErrorKind::bad_input, "there is no such file or directory", path);
    }
    if (!options.rules.empty()) {
        auto info = fs.info(options.rules);
        if (!info || info->kind != FileKind::directory) {
            return fail(ErrorKind::usage, "--rules needs a directory, and this is none", options.rules);
        }
    }
    if (!options.output.empty()) TRY(check_output(fs, options));
    if (!options.report_directory.empty()) TRY(check_report_directory(fs, options));
    return {};
}

}  // namespace migrator
