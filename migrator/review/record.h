// Record: a directory that keeps what was applied, for `undo` and `reapply`.
//
//   applied.json      the edits, and the hashes of the files before and after
//   original/N_NAME   the file of this number as it was
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "migrator/review/changes.h"
#include "migrator/review/saved_report.h"

namespace migrator {

// The first of DIRECTORY/applied, applied_2 ... that is free. `output`: the copy that the edits go to, whose older record
// may be replaced; empty: the sources themselves.
base::Path free_record(base::FileSystem& fs, const base::Path& directory, const base::Path& output);

// Of a copy that is complete; `include`: the patterns that it was made with. The originals are read below `root`. Fails with usage
// when something else has the record's name, with bad_input when a file has changed since it was copied.
base::Status write_record_of_copy(base::FileSystem& fs, const base::Path& root, const base::Path& output,
                                  const std::vector<FileChange>& changes, const std::vector<std::string>& include,
                                  const base::Path& record);

// Changes the files of the project, new ones first, and keeps a record, which is written before (empty: none). When a write
// fails, what was written already is put back. Fails with usage when another run is at it, or was stopped while it was, and
// with bad_input when a file is no longer what `changes` say it was.
base::Status write_in_place(base::FileSystem& fs, const base::Path& root, const std::vector<FileChange>& changes,
                            const std::vector<std::string>& include, const base::Path& record,
                            const std::function<base::Status()>& then = nullptr);

// What was applied, with the root as it was recorded: see recorded_root().
base::Result<SavedReport> read_record(base::FileSystem& fs, const base::Path& record);

// Where the sources were, or are now when they were moved together with the record.
base::Path recorded_root(base::FileSystem& fs, const SavedReport& applied, const base::Path& record);

// The recorded original of the file with this number. Fails with bad_input when it is damaged.
base::Result<std::string> read_original(base::FileSystem& fs, const base::Path& record, std::size_t number,
                                        const SavedFile& file);

// Puts back the originals and removes the record; the number of files that were not as they had been. Fails with
// bad_input, and changes nothing, when a file is neither as it was left nor as it was before. Started again after it was stopped,
// it goes on. `root`: of the project.
base::Result<std::size_t> undo(base::FileSystem& fs, const base::Path& record, const base::Path& root);

// Whether the directory has the applied.json of a finished record.
bool is_record(base::FileSystem& fs, const base::Path& directory);

// The last of DIRECTORY/applied, applied_2 ... that is a record; nullopt: none is.
std::optional<base::Path> newest_record(base::FileSystem& fs, const base::Path& directory);

// Without the applied.json that is written last, before any file is changed: a run was stopped, and nothing is to be undone.
bool is_unfinished_record(base::FileSystem& fs, const base::Path& record);

}  // namespace migrator
