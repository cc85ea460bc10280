#include "migrator/app/output_tree.h"

#include <algorithm>

#include "migrator/app/path_checks.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::FileKind;
using base::Path;

constexpr std::string_view kMarker = ".migrator_incomplete";
constexpr std::uint64_t kCopyChunkBytes = 4 << 20;

constexpr std::string_view kPrevious = ".previous";

// All directories of the project that can be read, the root included; a walk of its own, because a FileList has files
// only.
base::Result<std::vector<std::pair<Path, base::FileInfo>>> directories_of(base::FileSystem& fs, const FileList& files) {
    std::vector<std::pair<Path, base::FileInfo>> out;
    std::vector<Path> pending{""};
    while (!pending.empty()) {
        const Path directory = std::move(pending.back());
        pending.pop_back();
        const Path on_disk = directory.empty() ? files.root : base::join(files.root, directory);
        const auto entries = fs.list(on_disk);
        if (!entries) continue;  // discovery has told
        TRY_ASSIGN(const base::FileInfo info, fs.info(on_disk));
        out.emplace_back(directory, info);
        for (const auto& entry : *entries) {
            Path path = base::join(directory, entry.name);
            bool skipped = std::binary_search(files.directories_skipped.begin(), files.directories_skipped.end(), path);
            if (entry.kind == FileKind::directory && !skipped) pending.push_back(std::move(path));
        }
    }
    return out;
}

// True when a relative link in the directory leads above the root of the project.
bool leads_out(const Path& link, std::string_view target) {
    const Path aim = normal_path(base::join(base::parent(link), target));
    return aim == ".." || aim.starts_with("../");
}

base::Status copy_bytes(base::ReadableFile& from, base::WritableFile& to) {
    std::string chunk;
    for (std::uint64_t at = 0; at < from.size(); at += chunk.size()) {
        chunk.resize(std::min(kCopyChunkBytes, from.size() - at));
        TRY(from.read_at(at, std::as_writable_bytes(std::span(chunk.data(), chunk.size()))));
        TRY(to.write_at(at, base::as_bytes(chunk)));
    }
    return to.close();
}

base::Status copy_link(base::FileSystem& fs, const Path& root, const Path& path, OutputTree& output) {
    TRY_ASSIGN(Path target, fs.read_link(base::join(root, path)));
    if (!target.starts_with("/") && leads_out(path, target)) {
        TRY_ASSIGN(const Path directory, fs.real_path(base::parent(base::join(root, path))));
        target = normal_path(base::join(directory, target));
    }
    return output.link(target, path);
}

base::Status copy_large(base::FileSystem& fs, const Path& root, const FoundFile& file, LargeFiles large,
                        OutputTree& output) {
    if (large == LargeFiles::skip)
        return base::fail(ErrorKind::bad_input, "it is large, and --large-files skip leaves such files out");
    TRY_ASSIGN(const Path original, fs.real_path(base::join(root, file.path)));
    return output.link(original, file.path);
}

base::Status copy_one(base::FileSystem& fs, const Path& root, const FoundFile& file, LargeFiles large,
                      OutputTree& output) {
    if (file.kind == FileKind::symlink) return copy_link(fs, root, file.path, output);
    if (file.kind != FileKind::regular) {
        return base::fail(ErrorKind::bad_input,
                          "it is neither a file nor a link (a socket, a pipe, a device), or cannot be read");
    }
    if (file.bytes >= kLargeFileBytes && large != LargeFiles::copy) return copy_large(fs, root, file, large, output);
    return output.copy(base::join(root, file.path), file);
}

}  // namespace

OutputTree::OutputTree(base::FileSystem& fs, Path output, bool replace)
    : fs_(fs), output_(std::move(output)), partial_(output_ + ".partial"), replace_(replace) {}

base::Result<std::unique_ptr<OutputTree>> OutputTree::create(base::FileSystem& fs, Path output, bool replace) {
    std::unique_ptr<OutputTree> tree(new OutputTree(fs, std::move(output), replace));
    const Path& partial = tree->partial_;
    tree->committed_ = true;  // what is there now is not ours to remove
    if (fs.exists(partial)) {
        if (!fs.exists(base::join(partial, kMarker))) {
            return base::fail(ErrorKind::usage,
                              "this name is needed for the unfinished copy; remove it or name another output", partial);
        }
        TRY(base::remove_tree(fs, partial));
    }
    TRY(fs.make_directories(partial));
    tree->committed_ = false;
    TRY(tree->write(Path(kMarker), "This copy is not finished. It may be deleted.\n", 0644));
    return tree;
}

OutputTree::~OutputTree() {
    // A failure to clean up changes nothing for the user: the marker says what the rest is.
    if (!committed_) static_cast<void>(base::remove_tree(fs_, partial_).has_value());
}

base::Status OutputTree::make_parent(const Path& path) {
    Path directory = base::parent(path);
    std::lock_guard lock(making_);
    if (directory == "." || !made_.insert(directory).second) return {};
    return fs_.make_directories(base::join(partial_, directory));
}

base::Status OutputTree::make_directory(const Path& path, const base::FileInfo& like) {
    directories_.insert_or_assign(path, like);
    return fs_.make_directories(base::join(partial_, path));
}

base::Status OutputTree::write(const Path& path, std::string_view bytes, std::uint32_t mode,
                               std::optional<std::int64_t> modified) {
    TRY(make_parent(path));
    const Path target = base::join(partial_, path);
    TRY_ASSIGN(auto file, fs_.create(target, mode));
    TRY(file->write_at(0, base::as_bytes(bytes)));
    TRY(file->close());
    return modified ? fs_.set_attributes(target, mode, *modified) : base::Status{};
}

base::Status OutputTree::copy(const Path& source, const FoundFile& file) {
    TRY_ASSIGN(auto from, fs_.open(source));
    TRY(make_parent(file.path));
    Path target = base::join(partial_, file.path);
    TRY_ASSIGN(auto to, fs_.create(target, file.mode));
    auto copied = copy_bytes(*from, *to);
    // A file that is left out because it cannot be read must not be there in part.
    if (!copied) TRY(fs_.remove(target));
    if (!copied) return copied;
    return fs_.set_attributes(target, file.mode, file.modified);
}

base::Status OutputTree::link(const Path& target, const Path& path) {
    TRY(make_parent(path));
    return fs_.make_link(target, base::join(partial_, path));
}

base::Status OutputTree::commit() {
    TRY(fs_.remove(base::join(partial_, kMarker)));
    // From the leaves up: what is written in a directory changes its time.
    for (auto it = directories_.rbegin(); it != directories_.rend(); ++it) {
        const Path path = it->first.empty() ? partial_ : base::join(partial_, it->first);
        TRY(fs_.set_attributes(path, it->second.mode, it->second.modified));
    }
    const Path previous = output_ + std::string(kPrevious);
    const bool replaces = replace_ && fs_.exists(output_);
    if (replaces) TRY(fs_.rename(output_, previous));
    if (auto moved = fs_.rename(partial_, output_); !moved) {
        // The first error is the one to report, whatever becomes of the way back.
        if (replaces && !fs_.rename(previous, output_)) return moved;
        return moved;
    }
    committed_ = true;
    if (replaces) TRY(base::remove_tree(fs_, previous));
    return fs_.sync_directory(base::parent(output_));
}

base::Result<std::vector<NotCopied>> copy_the_rest(base::FileSystem& fs, const FileList& files, bool whole_directory,
                                                   LargeFiles large, OutputTree& output) {
    std::vector<NotCopied> left_out;
    for (const FoundFile& file : files.files) {
        if (file.analysed) continue;
        auto copied = copy_one(fs, files.root, file, large, output);
        if (copied) continue;
        if (copied.error().kind != ErrorKind::bad_input) return tl::unexpected<base::Error>(copied.error());
        left_out.push_back({file.path, copied.error().message});
    }
    if (!whole_directory) return left_out;
    TRY_ASSIGN(const auto directories, directories_of(fs, files));
    for (const auto& [path, info] : directories) TRY(output.make_directory(path, info));
    return left_out;
}

}  // namespace migrator
