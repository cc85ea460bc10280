#include "migrator/review/record.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/random.h"
#include "base/sha256.h"
#include "base/shell_word.h"
#include "base/write_file.h"
#include "migrator/review/project_lock.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Path;

constexpr std::string_view kAppliedName = "applied.json";
constexpr std::string_view kRecordName = "applied";
constexpr std::string_view kOriginals = "original";
constexpr std::string_view kNoToken = "0000000000000000";  // of records from before there were tokens

// A copy of the original, by number and name, so that any path of a report has one.
Path kept_copy(std::size_t number, const Path& path) {
    return base::format("{}/{}_{}", kOriginals, number, base::file_name(path));
}

Path real_or_same(base::FileSystem& fs, const Path& path) { return fs.real_path(path).value_or(path); }

// A record inside of the project goes with it when it is moved or copied: "../..". Else where the project lies.
Path root_to_record(base::FileSystem& fs, const Path& root, const Path& record) {
    const Path outer = real_or_same(fs, root);
    const Path inner = real_or_same(fs, record);
    if (!inner.starts_with(base::join(outer, ""))) return outer;
    Path out = "..";
    for (Path at = base::parent(inner); at != outer; at = base::parent(at)) out += "/..";
    return out;
}

// It is on the disk before anything else is written.
base::Status keep(base::FileSystem& kept, const Path& path, std::string_view original) {
    TRY_ASSIGN(auto file, kept.create(path, 0666));
    TRY(file->write_at(0, base::as_bytes(original)));
    TRY(file->sync());
    return file->close();
}

// Of a copy the sources are as they were, and need not have been in memory.
base::Result<std::string> original_of(base::FileSystem& tree, const FileChange& change, bool of_copy) {
    if (!of_copy) return change.original;
    TRY_ASSIGN(std::string original, base::read_file(tree, change.file.path));
    if (base::sha256_hex(original) != *change.file.original.sha256)
        return base::fail(ErrorKind::bad_input, "the file has changed while it was copied", change.file.path);
    return original;
}

// Makes room where a run was stopped before it had changed anything, or where an older copy's record is.
base::Status free_name(base::FileSystem& fs, const Path& record, const Path& output) {
    if (!fs.exists(record)) return {};
    if (is_unfinished_record(fs, record)) return base::remove_tree(fs, record);
    const auto older = read_record(fs, record);
    if (older && !output.empty() && older->output == output) return base::remove_tree(fs, record);
    return base::fail(
        ErrorKind::usage,
        "the record of applied edits exists already: undo it with `migrator undo`, or name another one with --record",
        record);
}

base::Status write_record(base::FileSystem& fs, base::FileSystem& tree, SavedReport applied, const Path& root,
                          const std::vector<FileChange>& changes, const Path& record) {
    TRY(fs.make_directories(record));
    TRY_ASSIGN(const auto kept, fs.beneath(record));
    TRY(kept->make_directory(Path(kOriginals)));
    applied.root = root_to_record(fs, root, record);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const FileChange& change = changes[i];
        if (!change.is_new()) {
            TRY_ASSIGN(const std::string original, original_of(tree, change, applied.output.has_value()));
            TRY(keep(*kept, kept_copy(i, change.file.path), original));
        }
        applied.files.push_back(change.file);
    }
    TRY(kept->sync_directory(Path(kOriginals)));
    TRY(base::write_file(*kept, Path(kAppliedName), [&](const base::TextSink& out) { applied_json(applied, out); }));
    return kept->sync_directory(".");
}

// What `undo` does with a file; nothing where it is as it was.
struct Restored {
    Path path;
    std::string sha256_now;               // what it replaces
    std::optional<std::string> original;  // empty: the file is new, and goes
};

base::Result<std::optional<Restored>> restored(base::FileSystem& fs, base::FileSystem& tree, const Path& record,
                                               const SavedReport& applied, std::size_t number) {
    const SavedFile& file = applied.files[number];
    const bool is_there = tree.exists(file.path);
    if (!is_there && !file.original.sha256) return std::nullopt;
    std::string hash;
    if (is_there) {
        TRY_ASSIGN(const std::string now, base::read_file(tree, file.path));
        hash = base::sha256_hex(now);
    }
    if (file.original.sha256 && hash == *file.original.sha256) return std::nullopt;
    if (hash != file.sha256_after) {
        const std::string kept = file.original.sha256 ? base::format("; its original is {}",
                                                                     base::join(record, kept_copy(number, file.path)))
                                                      : "";
        return base::fail(ErrorKind::bad_input,
                          base::format("the file {} since it was migrated{}. Nothing was restored",
                                       is_there ? "has changed" : "was removed", kept),
                          file.path);
    }
    Restored out{file.path, std::move(hash), {}};
    if (file.original.sha256) {
        TRY_ASSIGN(out.original, read_original(fs, record, number, file));
    }
    return out;
}

// Fails when one of them is neither as it was left nor as it was before.
base::Result<std::vector<Restored>> files_to_restore(base::FileSystem& fs, base::FileSystem& tree, const Path& record,
                                                     const SavedReport& applied) {
    if (applied.output.has_value())
        return base::fail(ErrorKind::bad_input,
                          base::format("these edits were made in the copy {}, and the sources are unchanged: there is "
                                       "nothing to undo. Remove the copy",
                                       *applied.output),
                          record);
    std::vector<Restored> out;
    for (std::size_t i = 0; i < applied.files.size(); ++i) {
        TRY_ASSIGN(auto file, restored(fs, tree, record, applied, i));
        if (file) out.push_back(std::move(*file));
    }
    return out;
}

// Somebody may have saved the file since it was looked at.
base::Status check_as_seen(base::FileSystem& tree, const Restored& file) {
    TRY_ASSIGN(const std::string now, base::read_file(tree, file.path));
    if (base::sha256_hex(now) == file.sha256_now) return {};
    return base::fail(ErrorKind::bad_input, "the file has changed while others were restored, so it stays as it is",
                      file.path);
}

// A file is replaced by one with the same permissions.
base::Status put_back(base::FileSystem& tree, const Restored& file, const std::string& token) {
    const auto check = [&] { return check_as_seen(tree, file); };
    if (!file.original) {
        TRY(check());
        return tree.remove(file.path);
    }
    TRY_ASSIGN(const base::FileInfo info, tree.link_info(file.path));
    return base::write_file_of(tree, file.path, *file.original, {info.mode & base::kPermissionBits, true}, token,
                               check);
}

// Somebody may have saved the file, or another run changed it, since it was read.
base::Status check_as_read(base::FileSystem& tree, const FileChange& change) {
    if (change.is_new()) return {};
    TRY_ASSIGN(const std::string now, base::read_file(tree, change.file.path));
    if (now == change.original) return {};
    return base::fail(ErrorKind::bad_input,
                      "the file has changed since it was read. Nothing was written; run the command again",
                      change.file.path);
}

// Whether the file is, or may be, as the change leaves it.
bool may_be_changed(base::FileSystem& tree, const FileChange& change) {
    const auto now = tree.look(change.file.path);
    if (now && !*now) return false;
    const auto content = base::read_file(tree, change.file.path);
    return !content || *content == change.content;
}

base::Status write_change(base::FileSystem& tree, const FileChange& change, const std::string& token) {
    // A link would be replaced by a file.
    if (const auto now = tree.link_info(change.file.path); now && now->kind != base::FileKind::regular)
        return base::fail(ErrorKind::bad_input, "this is not a regular file; name the file that it leads to",
                          change.file.path);
    return base::write_file_of(tree, change.file.path, change.content, {change.mode, !change.is_new()}, token,
                               [&] { return check_as_read(tree, change); });
}

// New files first: what imports them may be a file that is written next.
std::vector<const FileChange*> in_order(const std::vector<FileChange>& changes) {
    std::vector<const FileChange*> out;
    for (const FileChange& change : changes) out.push_back(&change);
    std::stable_partition(out.begin(), out.end(), [](const FileChange* change) { return change->is_new(); });
    return out;
}

// All of them and `then`, or none.
base::Status write_files(base::FileSystem& tree, const std::vector<FileChange>& changes, const std::string& token,
                         const std::function<base::Status()>& then) {
    const std::vector<const FileChange*> order = in_order(changes);
    for (std::size_t i = 0; i <= order.size(); ++i) {
        auto written = i < order.size() ? write_change(tree, *order[i], token) : then ? then() : base::Status{};
        if (written) continue;
        // The first error is the one to report. From the end, so that what imports a new file goes before it.
        for (std::size_t back = i; back-- > 0;) {
            const FileChange& change = *order[back];
            const Restored before{change.file.path, change.file.sha256_after,
                                  change.is_new() ? std::nullopt : std::optional<std::string>(change.original)};
            if (!put_back(tree, before, token))
                return base::fail_with_context(written.error(),
                                               base::format("{} could not be put back", change.file.path));
        }
        return written;
    }
    return {};
}

// What tells of the rest goes last.
base::Status remove_record(base::FileSystem& fs, const Path& record) {
    TRY(base::remove_tree(fs, base::join(record, kOriginals)));
    return base::remove_tree(fs, record);
}

Path absolute(base::FileSystem& fs, const Path& path) {
    return base::join(real_or_same(fs, base::parent(path)), base::file_name(path));
}

// Puts the files back and leaves the record; the number of files.
base::Result<std::size_t> restore(base::FileSystem& fs, base::FileSystem& tree, ProjectLock& lock, const Path& record) {
    TRY_ASSIGN(const SavedReport applied, read_record(fs, record));
    TRY_ASSIGN(const std::vector<Restored> files, files_to_restore(fs, tree, record, applied));
    const std::string token = applied.token.empty() ? std::string(kNoToken) : applied.token;
    TRY(lock.begin({absolute(fs, record), token}));
    for (const SavedFile& file : applied.files) TRY(base::remove_unfinished_of(tree, file.path, token));
    // Changed files first: a new one is what they import.
    for (const bool is_new : {false, true}) {
        for (const Restored& file : files) {
            if (file.original.has_value() != is_new) TRY(put_back(tree, file, token));
        }
    }
    return files.size();
}

}  // namespace

bool is_unfinished_record(base::FileSystem& fs, const Path& record) {
    const auto entries = fs.list(record);
    return entries && std::all_of(entries->begin(), entries->end(), [](const auto& entry) {
               return entry.name == kOriginals || (entry.name.starts_with(base::format(".{}.", kAppliedName)));
           });
}

bool is_record(base::FileSystem& fs, const Path& directory) { return fs.exists(base::join(directory, kAppliedName)); }

std::optional<Path> newest_record(base::FileSystem& fs, const Path& directory) {
    std::optional<Path> newest;
    const auto entries = fs.list(directory);
    if (!entries) return newest;
    for (const base::DirectoryEntry& entry : *entries) {
        const Path record = base::join(directory, entry.name);
        const bool is_one = entry.name == kRecordName || entry.name.starts_with(base::format("{}_", kRecordName));
        if (!is_one || !is_record(fs, record)) continue;
        // A longer number is a greater one.
        if (!newest || record.size() >= newest->size()) newest = record;
    }
    return newest;
}

Path free_record(base::FileSystem& fs, const Path& directory, const Path& output) {
    for (int number = 1;; ++number) {
        const Path record =
            base::join(directory, number == 1 ? std::string(kRecordName) : base::format("{}_{}", kRecordName, number));
        if (!fs.exists(record) || is_unfinished_record(fs, record)) return record;
        const auto older = read_record(fs, record);
        if (older && !output.empty() && older->output == output) return record;
    }
}

base::Status write_record_of_copy(base::FileSystem& fs, const Path& root, const Path& output,
                                  const std::vector<FileChange>& changes, const std::vector<std::string>& include,
                                  const Path& record) {
    TRY_ASSIGN(const auto tree, fs.beneath(root));
    SavedReport applied;
    applied.output = output;
    applied.include = include;
    TRY(free_name(fs, record, output));
    return write_record(fs, *tree, std::move(applied), root, changes, record);
}

base::Status write_in_place(base::FileSystem& fs, const Path& root, const std::vector<FileChange>& changes,
                            const std::vector<std::string>& include, const Path& record,
                            const std::function<base::Status()>& then) {
    TRY_ASSIGN(const auto tree, fs.beneath(root));
    TRY_ASSIGN(ProjectLock lock, ProjectLock::take(*tree));
    if (const auto stopped = lock.stopped()) return base::fail(ErrorKind::usage, stopped->text(root), root);
    const bool keeps_record = !record.empty();
    for (const FileChange& change : changes) {
        const base::Status is_as_read = check_as_read(*tree, change);
        if (is_as_read) continue;
        if (keeps_record) static_cast<void>(remove_empty_record_folder(*tree).has_value());
        return is_as_read;
    }
    if (keeps_record) {
        TRY(fs.make_directories(base::parent(record)));
        TRY(free_name(fs, record, {}));
    }
    SavedReport applied;
    applied.include = include;
    TRY_ASSIGN(applied.token, base::random_digits());
    const std::string token = applied.token;
    TRY(lock.begin({keeps_record ? absolute(fs, record) : "", token}));
    auto written = keeps_record ? write_record(fs, *tree, std::move(applied), root, changes, record) : base::Status{};
    if (written) written = write_files(*tree, changes, token, then);
    if (written) return lock.finish();
    // Record and journal stay while they are needed: for a file that could not be put back.
    const bool can_undo = keeps_record && fs.exists(base::join(record, kAppliedName));
    if (can_undo &&
        std::ranges::any_of(changes, [&](const FileChange& change) { return may_be_changed(*tree, change); }))
        return base::fail_with_context(written.error(), base::format("migrator undo {}", base::shell_path(record)));
    const bool is_removed = !keeps_record || (remove_record(fs, record) && remove_empty_record_folder(*tree));
    if (is_removed) static_cast<void>(lock.finish().has_value());
    return written;
}

base::Result<SavedReport> read_record(base::FileSystem& fs, const Path& record) {
    TRY_ASSIGN(SavedReport applied, read_applied(fs, base::join(record, kAppliedName)));
    TRY(check_file_paths(applied));
    return applied;
}

Path recorded_root(base::FileSystem& fs, const SavedReport& applied, const Path& record) {
    const Path& saved = applied.root;
    if (saved != ".." && !saved.starts_with("../")) return saved;
    Path out = real_or_same(fs, record);
    for (std::size_t at = 0; at < saved.size(); at += 3) out = base::parent(out);
    return out;
}

base::Result<std::string> read_original(base::FileSystem& fs, const Path& record, std::size_t number,
                                        const SavedFile& file) {
    TRY_ASSIGN(const auto kept, fs.beneath(record));
    const Path copy = kept_copy(number, file.path);
    TRY_ASSIGN(std::string original, base::read_file(*kept, copy));
    if (base::sha256_hex(original) != *file.original.sha256)
        return base::fail(ErrorKind::bad_input, "the kept original is damaged. Nothing was written",
                          base::join(record, copy));
    return original;
}

base::Result<std::size_t> undo(base::FileSystem& fs, const Path& record, const Path& root) {
    TRY_ASSIGN(const auto tree, fs.beneath(root));
    TRY_ASSIGN(ProjectLock lock, ProjectLock::take(*tree));
    const auto stopped = lock.stopped();
    const bool is_stopped = stopped && stopped->record == absolute(fs, record);
    if (stopped && !is_stopped && fs.exists(stopped->record))
        return base::fail(ErrorKind::usage, stopped->text(root), root);
    std::size_t count = 0;
    // A run that was stopped before it changed a file, or an `undo` that was when all were back, has no more to restore.
    if (!is_stopped || fs.exists(base::join(record, kAppliedName))) {
        TRY_ASSIGN(count, restore(fs, *tree, lock, record));
    }
    TRY(remove_record(fs, record));
    TRY(remove_empty_record_folder(*tree));
    TRY(lock.finish());
    return count;
}

}  // namespace migrator
