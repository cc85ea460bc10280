#include "base/file_system.h"

#include "base/format.h"

namespace base {

Result<std::string> read_file(FileSystem& fs, const Path& path, std::uint64_t max_bytes) {
    TRY_ASSIGN(auto file, fs.open(path));
    if (file->size() > max_bytes) {
        return fail(ErrorKind::bad_input,
                    base::format("the file has {} bytes, at most {} are read", file->size(), max_bytes), path);
    }
    std::string content(file->size(), '\0');
    TRY(file->read_at(0, std::as_writable_bytes(std::span(content.data(), content.size()))));
    return content;
}

bool FileSystem::exists(const Path& path) {
    const auto found = look(path);
    return !found || found->has_value();
}

bool is_directory(FileSystem& fs, const Path& path) {
    const auto found = fs.info(path);
    return found && found->kind == FileKind::directory;
}

Result<bool> is_there(FileSystem& fs, const Path& path) {
    TRY_ASSIGN(const auto found, fs.look(path));
    return found.has_value();
}

namespace {

// How often something is looked at again that another process makes and removes.
constexpr int kMaxLooks = 8;

// The next thing to remove; what is in a directory goes first.
struct Removal {
    Path path;
    bool is_emptied = false;
};

Status remove_next(FileSystem& fs, const Removal& next, std::vector<Removal>& pending) {
    TRY_ASSIGN(const auto info, fs.look(next.path));
    if (!info) return {};
    if (info->kind != FileKind::directory || next.is_emptied) return fs.remove(next.path);
    TRY_ASSIGN(const auto entries, fs.list(next.path));
    pending.push_back({next.path, true});
    for (const auto& entry : entries) pending.push_back({join(next.path, entry.name), false});
    return {};
}

}  // namespace

Result<std::vector<DirectoryEntry>> list_if_there(FileSystem& fs, const Path& directory) {
    for (int looks = 1;; ++looks) {
        auto entries = fs.list(directory);
        if (entries || looks == kMaxLooks) return entries;
        TRY_ASSIGN(const bool is_still_there, is_there(fs, directory));
        if (!is_still_there) return std::vector<DirectoryEntry>();
    }
}

Status remove_tree(FileSystem& fs, const Path& path) {
    // Depth first without recursion: a directory is visited a second time when what was in it is gone.
    std::vector<Removal> pending{{path, false}};
    for (int looks = 1; !pending.empty();) {
        const Removal next = std::move(pending.back());
        pending.pop_back();
        const Status done = remove_next(fs, next, pending);
        if (done) continue;
        if (looks++ == kMaxLooks) return done;
        pending.push_back({next.path, false});
    }
    return {};
}

namespace {

constexpr int kMaxDepth = 4096;  // of nested directories, as a guard against a file system without a root

}  // namespace

bool is_inside(FileSystem& fs, const Path& inner, const Path& outer) {
    if (lexically_inside(inner, outer)) return true;
    auto target = fs.info(outer);
    if (!target) return false;
    Path at = normal_path(inner);
    while (!fs.info(at) && at != "." && at != "/") at = parent(at);
    for (int depth = 0; depth < kMaxDepth; ++depth) {
        auto here = fs.info(at);
        if (!here) return false;
        if (here->is_same_file(*target)) return true;
        // ".." of the real directory: a link above it does not count.
        at = join(at, "..");
        auto above = fs.info(at);
        if (!above || above->is_same_file(*here)) return false;
    }
    return false;
}

Path directory_above(const Path& directory) {
    const bool is_up = directory == "." || directory == ".." || directory.ends_with("/..");
    return is_up ? normal_path(join(directory, "..")) : parent(directory);
}

std::vector<Path> directories_above(FileSystem& fs, const Path& directory) {
    constexpr std::size_t kMaxLevels = 64;
    std::vector<Path> out{normal_path(directory)};
    while (out.size() < kMaxLevels && out.back() != "/" && !fs.exists(join(out.back(), ".git")))
        out.push_back(directory_above(out.back()));
    return out;
}

}  // namespace base
