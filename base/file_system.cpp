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

Result<bool> is_there(FileSystem& fs, const Path& path) {
    const auto info = fs.link_info(path);
    if (info) return true;
    if (!fs.exists(path)) return false;
    return tl::unexpected<Error>(info.error());
}

Status remove_tree(FileSystem& fs, const Path& path) {
    // Another process may remove parts of it as well, or be about to make some that it then removes.
    constexpr int kMaxFillings = 8;
    int filled = 0;
    // Depth first without recursion: a directory is visited a second time when its children are gone.
    std::vector<std::pair<Path, bool>> pending{{path, false}};
    while (!pending.empty()) {
        auto [at, emptied] = pending.back();
        pending.pop_back();
        const auto info = fs.link_info(at);
        if (!info && !fs.exists(at)) continue;
        TRY(info);
        if (info->kind != FileKind::directory || emptied) {
            const Status removed = fs.remove(at);
            if (removed || !fs.exists(at)) continue;
            if (!emptied || filled++ == kMaxFillings) return removed;
        }
        const auto entries = fs.list(at);
        if (!entries && !fs.exists(at)) continue;
        TRY(entries);
        pending.emplace_back(at, true);
        for (const auto& entry : *entries) pending.emplace_back(join(at, entry.name), false);
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

std::vector<Path> directories_above(FileSystem& fs, const Path& directory) {
    constexpr std::size_t kMaxLevels = 64;
    std::vector<Path> out{normal_path(directory)};
    while (out.size() < kMaxLevels && out.back() != "/" && !fs.exists(join(out.back(), ".git"))) {
        const Path& at = out.back();
        // A relative path goes on above the working directory.
        const bool is_up = at == "." || at == ".." || at.ends_with("/..");
        out.push_back(is_up ? normal_path(join(at, "..")) : parent(at));
    }
    return out;
}

}  // namespace base
