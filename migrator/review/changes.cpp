#include "migrator/review/changes.h"

#include <algorithm>

#include "base/format.h"
#include "base/sha256.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Path;

bool leads_out(const Path& path) {
    if (path.empty() || path.starts_with("/")) return true;
    for (std::string_view rest = path; !rest.empty();) {
        const std::size_t slash = std::min(rest.find('/'), rest.size());
        if (rest.substr(0, slash) == "..") return true;
        rest.remove_prefix(std::min(slash + 1, rest.size()));
    }
    return false;
}

// A copy of the original, by number and name, so that any path of a report has one.
Path kept_copy(const Path& record, std::size_t number, const Path& path) {
    return base::join(record, base::format("original/{}_{}", number, base::file_name(path)));
}

base::Result<FileChange> change_of(base::FileSystem& fs, const SavedFile& file, const Path& root,
                                   const std::set<std::string>& findings) {
    FileChange out;
    out.file = file;
    out.file.edits = wanted_edits(file, findings);
    out.mode = file.new_mode;
    std::erase_if(out.file.findings, [&](const SavedFinding& finding) { return !findings.contains(finding.id); });
    if (out.file.edits.empty()) return out;
    const Path path = path_on_disk(root, file.path);
    if (leads_out(file.path))
        return base::fail(ErrorKind::bad_input, "the path leads out of the project; nothing was written", file.path);
    if (out.is_new() && fs.exists(path))
        return base::fail(ErrorKind::bad_input,
                          "the report makes this file, and there is one already; nothing was written", path);
    if (!out.is_new()) {
        if (!fs.exists(path))
            return base::fail(ErrorKind::bad_input,
                              "the file is not there any more; make the report again. Nothing was written", path);
        TRY_ASSIGN(const base::FileInfo info, fs.info(path));
        out.mode = info.mode;
        TRY_ASSIGN(out.original, base::read_file(fs, path));
        if (base::sha256_hex(out.original) != *file.sha256)
            return base::fail(ErrorKind::bad_input,
                              "the file has changed since the report was made; make the report again, the ids of the "
                              "decisions stay. Nothing was written",
                              path);
    }
    TRY_ASSIGN(out.content, bytes_after(out.file, out.file.edits, out.original));
    out.file.sha256_after = base::sha256_hex(out.content);
    return out;
}

base::Status put(base::FileSystem& fs, const Path& path, const std::string& content, std::uint32_t mode) {
    if (!fs.exists(path)) return base::write_file_atomically(fs, path, content, mode);
    TRY_ASSIGN(const Path target, fs.real_path(path));  // a link stays one
    return base::write_file_atomically(fs, target, content, mode);
}

base::Status write_record(base::FileSystem& fs, const Path& root, const std::vector<FileChange>& changes,
                          const Path& record) {
    SavedReport applied;
    applied.root = root;
    TRY(fs.make_directories(base::join(record, "original")));
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const FileChange& change = changes[i];
        if (!change.is_new())
            TRY(base::write_file_atomically(fs, kept_copy(record, i, change.file.path), change.original, change.mode));
        applied.files.push_back(change.file);
    }
    return base::write_file_atomically(fs, base::join(record, kAppliedName), applied_json(applied));
}

}  // namespace

Path path_on_disk(const Path& root, const Path& path) { return base::join(root, path); }

base::Result<std::vector<FileChange>> changes_of(base::FileSystem& fs, const SavedReport& report, const Path& root,
                                                 const std::set<std::string>& findings) {
    std::vector<FileChange> out;
    for (const SavedFile& file : report.files) {
        TRY_ASSIGN(FileChange change, change_of(fs, file, root, findings));
        if (!change.file.edits.empty()) out.push_back(std::move(change));
    }
    return out;
}

base::Status write_in_place(base::FileSystem& fs, const Path& root, const std::vector<FileChange>& changes,
                            const Path& record) {
    if (fs.exists(record))
        return base::fail(ErrorKind::usage,
                          "this is needed to record what is applied, and is there already: `migrator undo` it, or "
                          "name another with --record",
                          record);
    TRY(write_record(fs, root, changes, record));
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const FileChange& change = changes[i];
        auto written = put(fs, path_on_disk(root, change.file.path), change.content, change.mode);
        if (written) continue;
        // The first error is the one to report; the record is left for what could not be put back.
        bool all_back = true;
        for (std::size_t back = 0; back < i; ++back) {
            const Path path = path_on_disk(root, changes[back].file.path);
            all_back &= changes[back].is_new() ? fs.remove(path).has_value()
                                               : put(fs, path, changes[back].original, changes[back].mode).has_value();
        }
        if (all_back) static_cast<void>(base::remove_tree(fs, record).has_value());
        return written;
    }
    return {};
}

base::Result<std::string> read_original(base::FileSystem& fs, const Path& record, std::size_t number,
                                        const SavedFile& file) {
    const Path copy = kept_copy(record, number, file.path);
    TRY_ASSIGN(std::string original, base::read_file(fs, copy));
    if (base::sha256_hex(original) != *file.sha256)
        return base::fail(ErrorKind::bad_input, "the kept original is damaged. Nothing was written", copy);
    return original;
}

base::Result<std::size_t> undo(base::FileSystem& fs, const Path& record) {
    TRY_ASSIGN(const SavedReport applied, read_applied(fs, base::join(record, kAppliedName)));
    std::vector<std::string> originals;
    for (std::size_t i = 0; i < applied.files.size(); ++i) {
        const SavedFile& file = applied.files[i];
        const Path path = path_on_disk(applied.root, file.path);
        TRY_ASSIGN(const std::string now, base::read_file(fs, path));
        if (base::sha256_hex(now) != file.sha256_after)
            return base::fail(ErrorKind::bad_input,
                              base::format("the file has changed since it was migrated; its original is {}. Nothing "
                                           "was restored",
                                           kept_copy(record, i, file.path)),
                              path);
        std::string original;
        if (file.sha256) {
            TRY_ASSIGN(original, read_original(fs, record, i, file));
        }
        originals.push_back(std::move(original));
    }
    for (std::size_t i = 0; i < applied.files.size(); ++i) {
        const Path path = path_on_disk(applied.root, applied.files[i].path);
        TRY_ASSIGN(const base::FileInfo info, fs.info(path));
        if (applied.files[i].sha256) TRY(put(fs, path, originals[i], info.mode));
        else TRY(fs.remove(path));
    }
    TRY(base::remove_tree(fs, record));
    return applied.files.size();
}

}  // namespace migrator
