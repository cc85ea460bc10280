#include "migrator/app/output_tree.h"

#include <algorithm>

namespace migrator {
namespace {

using base::ErrorKind;
using base::FileKind;
using base::Path;

constexpr std::string_view kMarker = ".migrator_incomplete";
constexpr std::uint64_t kCopyChunkBytes = 4 << 20;

// Directories of the project that hold nothing at all; a walk of its own, because a FileList has files only.
std::vector<Path> empty_directories(base::FileSystem& fs, const FileList& files) {
    std::vector<Path> empty;
    std::vector<Path> pending{""};
    while (!pending.empty()) {
        Path directory = pending.back();
        pending.pop_back();
        auto entries = fs.list(base::join(files.root, directory));
        if (!entries) continue;  // discovery has told
        if (entries->empty() && !directory.empty()) empty.push_back(directory);
        for (const auto& entry : *entries) {
            Path path = base::join(directory, entry.name);
            bool skipped = std::binary_search(files.directories_skipped.begin(), files.directories_skipped.end(), path);
            if (entry.kind == FileKind::directory && !skipped) pending.push_back(path);
        }
    }
    std::sort(empty.begin(), empty.end());
    return empty;
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

base::Status copy_one(base::FileSystem& fs, const Path& root, const FoundFile& file, OutputTree& output) {
    Path source = base::join(root, file.path);
    if (file.kind == FileKind::regular) return output.copy(source, file.path, file.mode);
    if (file.kind != FileKind::symlink) {
        return base::fail(ErrorKind::bad_input,
                          "it is neither a file nor a link (a socket, a pipe, a device), or cannot be read");
    }
    TRY_ASSIGN(Path target, fs.read_link(source));
    return output.link(target, file.path);
}

}  // namespace

OutputTree::OutputTree(base::FileSystem& fs, Path output)
    : fs_(fs), output_(std::move(output)), partial_(output_ + ".partial") {}

base::Result<std::unique_ptr<OutputTree>> OutputTree::create(base::FileSystem& fs, Path output) {
    std::unique_ptr<OutputTree> tree(new OutputTree(fs, std::move(output)));
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

base::Status OutputTree::make_directory(const Path& path) { return fs_.make_directories(base::join(partial_, path)); }

base::Status OutputTree::write(const Path& path, std::string_view bytes, std::uint32_t mode) {
    TRY(make_parent(path));
    TRY_ASSIGN(auto file, fs_.create(base::join(partial_, path), mode));
    TRY(file->write_at(0, base::as_bytes(bytes)));
    return file->close();
}

base::Status OutputTree::copy(const Path& source, const Path& path, std::uint32_t mode) {
    TRY_ASSIGN(auto from, fs_.open(source));
    TRY(make_parent(path));
    Path target = base::join(partial_, path);
    TRY_ASSIGN(auto to, fs_.create(target, mode));
    auto copied = copy_bytes(*from, *to);
    // A file that is left out because it cannot be read must not be there in part.
    if (!copied) TRY(fs_.remove(target));
    return copied;
}

base::Status OutputTree::link(const Path& target, const Path& path) {
    TRY(make_parent(path));
    return fs_.make_link(target, base::join(partial_, path));
}

base::Status OutputTree::commit() {
    TRY(fs_.remove(base::join(partial_, kMarker)));
    TRY(fs_.rename(partial_, output_));
    committed_ = true;
    return fs_.sync_directory(base::parent(output_));
}

base::Result<std::vector<NotCopied>> copy_the_rest(base::FileSystem& fs, const FileList& files, bool whole_directory,
                                                   OutputTree& output) {
    std::vector<NotCopied> left_out;
    for (const FoundFile& file : files.files) {
        if (file.analysed) continue;
        auto copied = copy_one(fs, files.root, file, output);
        if (copied) continue;
        if (copied.error().kind != ErrorKind::bad_input) return tl::unexpected<base::Error>(copied.error());
        left_out.push_back({file.path, copied.error().message});
    }
    if (!whole_directory) return left_out;
    for (const Path& directory : empty_directories(fs, files)) TRY(output.make_directory(directory));
    return left_out;
}

}  // namespace migrator
