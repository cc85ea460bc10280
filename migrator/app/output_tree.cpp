#include "migrator/app/output_tree.h"

#include <algorithm>

#include "base/format.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "migrator/app/path_checks.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::FileKind;
using base::Path;

// Of names beside OUT, and the words of the journal that tell of them.
constexpr std::string_view kUnfinished = ".unfinished-";
constexpr std::string_view kPrevious = ".previous-";
constexpr std::string_view kStagingWord = "unfinished";
constexpr std::string_view kPreviousWord = "previous";

constexpr std::uint64_t kCopyChunkBytes = 4 << 20;

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
    const Path aim = base::normal_path(base::join(base::parent(link), target));
    return aim == ".." || aim.starts_with("../");
}

base::Status copy_bytes(base::ReadableFile& from, base::WritableFile& to) {
    std::string chunk;
    for (std::uint64_t at = 0; at < from.size(); at += chunk.size()) {
        chunk.resize(std::min(kCopyChunkBytes, from.size() - at));
        TRY(from.read_at(at, std::as_writable_bytes(std::span(chunk.data(), chunk.size()))));
        TRY(to.write_at(at, base::as_bytes(chunk)));
        TRY(base::not_interrupted());
    }
    return {};
}

base::Status copy_link(base::FileSystem& fs, const Path& root, const Path& path, OutputTree& output) {
    TRY_ASSIGN(Path target, fs.read_link(base::join(root, path)));
    if (!target.starts_with("/") && leads_out(path, target)) {
        TRY_ASSIGN(const Path directory, fs.real_path(base::parent(base::join(root, path))));
        target = base::normal_path(base::join(directory, target));
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

OutputTree::OutputTree(base::FileSystem& fs, Path output, bool replace, base::NewDirectories above,
                       base::RunJournal journal)
    : fs_(fs), output_(std::move(output)), replace_(replace), above_(std::move(above)), journal_(std::move(journal)) {}

base::Result<std::unique_ptr<OutputTree>> OutputTree::create(base::FileSystem& fs, Path output, bool replace) {
    const Path above = base::parent(output);
    TRY_ASSIGN(auto made, base::NewDirectories::make(fs, above));
    const std::string name = base::format(".{}.migrator.run", base::file_name(output));
    TRY_ASSIGN(auto journal, base::RunJournal::open(fs, above == "." ? name : base::join(above, name)));
    std::unique_ptr<OutputTree> tree(
        new OutputTree(fs, std::move(output), replace, std::move(made), std::move(journal)));
    TRY(tree->clean_up_after_others());
    TRY(tree->begin());
    return tree;
}

// What a run that died has left, by its journal; only names that such a run gives.
base::Status OutputTree::clean_up_after_others() {
    const auto left = [&](std::string_view word, std::string_view ending) {
        const auto named = journal_.left(word);
        const bool is_plain = named && !named->empty() && named->find('/') == std::string::npos;
        return is_plain ? output_ + std::string(ending) + *named : Path();
    };
    const Path previous = left(kPreviousWord, kPrevious);
    if (!previous.empty() && fs_.exists(previous)) {
        // It died between the two renames, or after both.
        TRY_ASSIGN(const bool has_output, base::is_there(fs_, output_));
        TRY(has_output ? base::remove_tree(fs_, previous) : fs_.rename(previous, output_));
        cleaned_up_ = true;
    }
    const Path unfinished = left(kStagingWord, kUnfinished);
    if (unfinished.empty() || !fs_.exists(unfinished)) return {};
    cleaned_up_ = true;
    return base::remove_tree(fs_, unfinished);
}

base::Status OutputTree::begin() {
    if (fs_.exists(output_) && !replace_) {
        TRY_ASSIGN(const auto entries, fs_.list(output_));
        if (!entries.empty())
            return base::fail(ErrorKind::usage,
                              "the output directory is not empty; name a new one, or replace this one with --force",
                              output_);
    }
    TRY_ASSIGN(token_, base::random_digits());
    TRY(journal_.start());
    TRY(journal_.say(kStagingWord, token_));
    const Path staging = output_ + std::string(kUnfinished) + token_;
    TRY(fs_.make_directory(staging));
    staging_ = staging;
    return {};
}

// Best effort: the error that brought us here is the one to report. While the journal stays, the next run goes on with it.
OutputTree::~OutputTree() {
    if (committed_) return;
    if (!staging_.empty() && !base::remove_tree(fs_, staging_)) return;
    static_cast<void>(journal_.finish().has_value());
}

base::Status OutputTree::make_parent(const Path& path) {
    Path directory = base::parent(path);
    std::lock_guard lock(making_);
    if (directory == "." || !made_.insert(directory).second) return {};
    return fs_.make_directories(base::join(staging_, directory));
}

base::Status OutputTree::make_directory(const Path& path, const base::FileInfo& like) {
    directories_.insert_or_assign(path, like);
    return fs_.make_directories(base::join(staging_, path));
}

base::Status OutputTree::finish(const Path& path, base::WritableFile& file) {
    TRY_ASSIGN(const base::FileInfo info, file.info());
    TRY(file.close());
    std::lock_guard lock(making_);
    written_.push_back({path, info.inode, info.bytes});
    return {};
}

base::Status OutputTree::write(const Path& path, std::string_view bytes, std::uint32_t mode,
                               std::optional<std::int64_t> modified) {
    TRY(make_parent(path));
    const Path target = base::join(staging_, path);
    TRY_ASSIGN(auto file, fs_.create(target));
    TRY(file->write_at(0, base::as_bytes(bytes)));
    TRY(file->set_mode(mode & base::kPermissionBits));
    TRY(finish(path, *file));
    return modified ? fs_.set_attributes(target, mode & base::kPermissionBits, *modified) : base::Status{};
}

base::Status OutputTree::copy(const Path& source, const FoundFile& file) {
    TRY_ASSIGN(auto from, fs_.open(source));
    TRY(make_parent(file.path));
    Path target = base::join(staging_, file.path);
    TRY_ASSIGN(auto to, fs_.create(target));
    auto copied = copy_bytes(*from, *to);
    // A file that is left out because it cannot be read must not be there in part.
    if (!copied) TRY(fs_.remove(target));
    if (!copied) return copied;
    TRY(finish(file.path, *to));
    return fs_.set_attributes(target, file.mode & base::kPermissionBits, file.modified);
}

base::Status OutputTree::link(const Path& target, const Path& path) {
    TRY(make_parent(path));
    return fs_.make_link(target, base::join(staging_, path));
}

base::Status OutputTree::check_files() {
    for (const Written& file : written_) {
        const Path path = base::join(staging_, file.path);
        const auto now = fs_.link_info(path);
        if (now && now->inode == file.inode && now->bytes == file.bytes) continue;
        return base::fail(
            ErrorKind::write_failed,
            "the file has changed since it was written: something else writes to the copy; nothing was published",
            path);
    }
    return {};
}

base::Status OutputTree::replace_output() {
    const Path previous = output_ + std::string(kPrevious) + token_;
    TRY(journal_.say(kPreviousWord, token_));
    TRY(fs_.rename(output_, previous));
    if (auto moved = fs_.rename(staging_, output_); !moved) {
        // The first error is the one to report, whatever becomes of the way back.
        static_cast<void>(fs_.rename(previous, output_).has_value());
        return moved;
    }
    // Otherwise the next run removes it.
    static_cast<void>(base::remove_tree(fs_, previous).has_value());
    return {};
}

base::Status OutputTree::commit() {
    TRY(check_files());
    // From the leaves up: what is written in a directory changes its time.
    for (auto it = directories_.rbegin(); it != directories_.rend(); ++it) {
        const Path path = it->first.empty() ? staging_ : base::join(staging_, it->first);
        TRY(fs_.set_attributes(path, it->second.mode, it->second.modified));
    }
    // It replaces an empty directory, and nothing else.
    if (replace_ && fs_.exists(output_)) TRY(replace_output());
    else TRY(fs_.rename(staging_, output_));
    committed_ = true;
    above_.keep();
    // The copy is whole. What cannot be done now, the next run does.
    static_cast<void>(fs_.sync_directory(base::parent(output_)).has_value());
    static_cast<void>(journal_.finish().has_value());
    return {};
}

base::Result<std::unique_ptr<OutputTree>> open_outputs(base::FileSystem& fs, const Options& options) {
    const base::Status has_skeleton_place = check_skeleton_directory(fs, options);
    std::unique_ptr<OutputTree> output;
    if (!options.output.empty()) {
        TRY_ASSIGN(output, OutputTree::create(fs, options.output, options.force));
    }
    TRY(has_skeleton_place);
    return output;
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
