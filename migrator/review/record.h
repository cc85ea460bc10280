// Record: a directory that keeps what was applied, for `undo` and `reapply`.
//
//   applied.json      the edits, and the hashes of the files before and after
//   original/N_NAME   the file of this number as it was
#pragma once

#include <string>
#include <vector>

#include "migrator/review/changes.h"
#include "migrator/review/saved_report.h"

namespace migrator {

// The first of DIRECTORY/applied, applied_2 ... that is free. `output`: the copy that the edits go to, whose older record
// may be replaced; empty: the sources themselves.
base::Path free_record(base::FileSystem& fs, const base::Path& directory, const base::Path& output);

// `output`: as of free_record; the originals of a copy are read below `root`. Fails with usage when something else has the
// record's name, with bad_input when a file has changed since it was copied.
base::Status write_record(base::FileSystem& fs, const base::Path& root, const base::Path& output,
                          const std::vector<FileChange>& changes, const base::Path& record);

// Writes the files where they are. When a write fails, what was written already is put back.
base::Status write_files(base::FileSystem& fs, const base::Path& root, const std::vector<FileChange>& changes);

// The same, with a record of it, which is written first.
base::Status write_in_place(base::FileSystem& fs, const base::Path& root, const std::vector<FileChange>& changes,
                            const base::Path& record);

// What was applied; the root is where the sources are now.
base::Result<SavedReport> read_record(base::FileSystem& fs, const base::Path& record);

// The recorded original of the file with this number. Fails with bad_input when it is damaged.
base::Result<std::string> read_original(base::FileSystem& fs, const base::Path& record, std::size_t number,
                                        const SavedFile& file);

// Puts back the originals and removes the record; the number of files that were not as they had been. Fails with
// bad_input, and changes nothing, when a file is neither as it was left nor as it was before. `root`: empty: as recorded.
base::Result<std::size_t> undo(base::FileSystem& fs, const base::Path& record, const base::Path& root);

}  // namespace migrator
