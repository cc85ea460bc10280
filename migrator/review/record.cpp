#include "migrator/review/record.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/sha256.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Path;

constexpr std::string_view kAppliedName = "applied.json";

// A copy of the original, by number and name, so that any path of a report has one.
Path kept_copy(const Path& record, std::size_t number, const Path& path) {
    return base::join(record, base::format("original/{}_{}", number, base::file_name(path)));
}

Path real_or_same(base::FileSystem& fs, const Path& path) { return fs.real_path(path).value_or(path); }

// A record inside of the project goes with it when it is moved or copied: "../..". Else where the project lies.
Path recorded_root(base::FileSystem& fs, const Path& root, const Path& record) {
    const Path outer = real_or_same(fs, root);
    const Path inner = real_or_same(fs, record);
    if (!inner.starts_with(base::join(outer, ""))) return outer;
    Path out = "..";
    for (Path at = base::parent(inner); at != outer; at = base::parent(at)) out += "/..";
    return out;
}

Path root_of(base::FileSystem& fs, const Path& saved, const Path& record) {
    if (saved != ".." && !saved.starts_with("../")) return saved;
    Path out = real_or_same(fs, record);
    for (std::size_t at = 0; at < saved.size(); at += 3) out = base::parent(out);
    return out;
}

// `safely`: it is on the disk before anything else is written.
base::Status keep(base::FileSystem& fs, const Path& path, std::string_view original, bool safely) {
    TRY_ASSIGN(auto file, fs.create(path, 0644));
    TRY(file->write_at(0, base::as_bytes(original)));
    if (safely) TRY(file->sync());
    return file->close();
}

// Of a copy the sources are as they were, and need not have been in memory.
base::Status keep_original(base::FileSystem& fs, const Path& root, const Path& output, const FileChange& change,
                           const Path& path) {
    if (output.empty()) return keep(fs, path, change.original, true);
    const Path source = base::join(root, change.file.path);
    TRY_ASSIGN(const std::string original, base::read_file(fs, source));
    if (base::sha256_hex(original) != *change.file.sha256)
        return base::fail(ErrorKind::bad_input, "the file has changed while it was copied", source);
    return keep(fs, path, original, false);
}

base::Status put(base::FileSystem& fs, const Path& path, const std::string& content, std::uint32_t mode) {
    if (!fs.exists(path)) return base::write_file_atomically(fs, path, content, mode);
    TRY_ASSIGN(const Path target, fs.real_path(path));  // a link stays one
    return base::write_file_atomically(fs, target, content, mode);
}

// What `undo` does with a file; nothing where it is as it was.
struct Restored {
    Path path;
    std::optional<std::string> original;  // empty: the file is new, and goes
};

base::Result<std::optional<Restored>> restored(base::FileSystem& fs, const Path& record, const SavedReport& applied,
                                               std::size_t number) {
    const SavedFile& file = applied.files[number];
    const Path path = base::join(applied.root, file.path);
    const bool is_there = fs.exists(path);
    if (!is_there && !file.sha256) return std::nullopt;
    std::string hash;
    if (is_there) {
        TRY_ASSIGN(const std::string now, base::read_file(fs, path));
        hash = base::sha256_hex(now);
    }
    if (file.sha256 && hash == *file.sha256) return std::nullopt;
    if (hash != file.sha256_after) {
        const std::string kept =
            file.sha256 ? base::format("; its original is {}", kept_copy(record, number, file.path)) : "";
        return base::fail(ErrorKind::bad_input,
                          base::format("the file {} since it was migrated{}. Nothing was restored",
                                       is_there ? "has changed" : "was removed", kept),
                          path);
    }
    Restored out{path, {}};
    if (file.sha256) {
        TRY_ASSIGN(out.original, read_original(fs, record, number, file));
    }
    return out;
}

// Fails when one of them is neither as it was left nor as it was before.
base::Result<std::vector<Restored>> files_to_restore(base::FileSystem& fs, const Path& record, const Path& root) {
    TRY_ASSIGN(SavedReport applied, read_record(fs, record));
    if (!applied.output.empty())
        return base::fail(
            ErrorKind::bad_input,
            base::format("these edits were made in the copy {}, and the sources are as they were: there is "
                         "nothing to undo. Remove the copy",
                         applied.output),
            record);
    if (!root.empty()) applied.root = root;
    std::vector<Restored> out;
    for (std::size_t i = 0; i < applied.files.size(); ++i) {
        TRY_ASSIGN(auto file, restored(fs, record, applied, i));
        if (file) out.push_back(std::move(*file));
    }
    return out;
}

}  // namespace

Path free_record(base::FileSystem& fs, const Path& directory, const Path& output) {
    for (int number = 1;; ++number) {
        const Path record =
            base::join(directory, number == 1 ? std::string("applied") : base::format("applied_{}", number));
        if (!fs.exists(record)) return record;
        const auto older = read_record(fs, record);
        if (older && !output.empty() && older->output == output) return record;
    }
}

base::Status write_record(base::FileSystem& fs, const Path& root, const Path& output,
                          const std::vector<FileChange>& changes, const Path& record) {
    if (fs.exists(record)) {
        const auto older = read_record(fs, record);
        if (!older || output.empty() || older->output != output)
            return base::fail(ErrorKind::usage,
                              "this is needed to record what is applied, and is there already: `migrator undo` it, or "
                              "name another with --record",
                              record);
        TRY(base::remove_tree(fs, record));
    }
    TRY(fs.make_directories(base::join(record, "original")));
    SavedReport applied;
    applied.root = recorded_root(fs, root, record);
    applied.output = output;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const FileChange& change = changes[i];
        if (!change.is_new()) TRY(keep_original(fs, root, output, change, kept_copy(record, i, change.file.path)));
        applied.files.push_back(change.file);
    }
    return base::write_file_atomically(fs, base::join(record, kAppliedName),
                                       [&](const base::TextSink& out) { applied_json(applied, out); });
}

base::Status write_files(base::FileSystem& fs, const Path& root, const std::vector<FileChange>& changes) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const FileChange& change = changes[i];
        auto written = put(fs, base::join(root, change.file.path), change.content, change.mode);
        if (written) continue;
        // The first error is the one to report.
        for (std::size_t back = 0; back < i; ++back) {
            const Path path = base::join(root, changes[back].file.path);
            auto restored =
                changes[back].is_new() ? fs.remove(path) : put(fs, path, changes[back].original, changes[back].mode);
            if (!restored)
                return base::fail_with_context(written.error(), base::format("{} could not be put back", path));
        }
        return written;
    }
    return {};
}

base::Status write_in_place(base::FileSystem& fs, const Path& root, const std::vector<FileChange>& changes,
                            const Path& record) {
    TRY(write_record(fs, root, {}, changes, record));
    auto written = write_files(fs, root, changes);
    if (written) return {};
    // It stays while it is needed: a file that could not be put back.
    if (const auto left = files_to_restore(fs, record, {}); left && left->empty())
        static_cast<void>(base::remove_tree(fs, record).has_value());
    return written;
}

base::Result<SavedReport> read_record(base::FileSystem& fs, const Path& record) {
    TRY_ASSIGN(SavedReport applied, read_applied(fs, base::join(record, kAppliedName)));
    applied.root = root_of(fs, applied.root, record);
    for (const SavedFile& file : applied.files) {
        if (leads_out(file.path))
            return base::fail(ErrorKind::bad_input, "a path of the record leads out of the project", file.path);
    }
    return applied;
}

base::Result<std::string> read_original(base::FileSystem& fs, const Path& record, std::size_t number,
                                        const SavedFile& file) {
    const Path copy = kept_copy(record, number, file.path);
    TRY_ASSIGN(std::string original, base::read_file(fs, copy));
    if (base::sha256_hex(original) != *file.sha256)
        return base::fail(ErrorKind::bad_input, "the kept original is damaged. Nothing was written", copy);
    return original;
}

base::Result<std::size_t> undo(base::FileSystem& fs, const Path& record, const Path& root) {
    TRY_ASSIGN(const std::vector<Restored> files, files_to_restore(fs, record, root));
    for (const Restored& file : files) {
        TRY_ASSIGN(const base::FileInfo info, fs.info(file.path));
        if (file.original) TRY(put(fs, file.path, *file.original, info.mode));
        else TRY(fs.remove(file.path));
    }
    TRY(base::remove_tree(fs, record));
    return files.size();
}

}  // namespace migrator
