// FileChange: a file of the project with the accepted edits, and how such files are written, undone and merged.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "migrator/review/accepted.h"
#include "migrator/review/saved_report.h"

namespace migrator {

struct FileChange {
    SavedFile file;        // with the edits that are made, and the findings that they belong to
    std::string original;  // bytes; empty for a new file
    std::string content;
    std::uint32_t mode = 0644;

    bool is_new() const { return !file.sha256; }
};

// The file of a record that says what was applied.
inline constexpr std::string_view kAppliedName = "applied.json";

// Where a file of a report lies, seen from `root`.
base::Path path_on_disk(const base::Path& root, const base::Path& path);

// The files that these findings change. Fails with bad_input when one is not as the report has seen it, or when its path
// leads out of the root, and with unsupported when a text has no form in its file's encoding.
base::Result<std::vector<FileChange>> changes_of(base::FileSystem& fs, const SavedReport& report,
                                                 const base::Path& root, const std::set<std::string>& findings);

// Writes the files where they are. `record`: a directory that is made for what `undo` and `reapply` need; it must not
// exist. When a write fails, what was written already is put back.
base::Status write_in_place(base::FileSystem& fs, const base::Path& root, const std::vector<FileChange>& changes,
                            const base::Path& record);

// Puts back what `write_in_place` has recorded, and removes the record. Fails with bad_input, and changes nothing, when a
// file is not as it was left.
base::Result<std::size_t> undo(base::FileSystem& fs, const base::Path& record);

// The recorded original of the file with this number. Fails with bad_input when it is damaged.
base::Result<std::string> read_original(base::FileSystem& fs, const base::Path& record, std::size_t number,
                                        const SavedFile& file);

struct Reapplied {
    std::vector<FileChange> changes;
    std::vector<LeftOut> left_out;  // what no longer fits
    std::size_t findings = 0;       // that are made
    base::Path root;
};

// The recorded edits merged into the files as they are now, three-way: an edit fits where the lines that it touches are
// as they were, wherever they have moved. `root`: empty: as recorded.
base::Result<Reapplied> reapply(base::FileSystem& fs, const base::Path& record, const base::Path& root);

}  // namespace migrator
