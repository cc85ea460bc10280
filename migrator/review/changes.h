// FileChange: a file of the project with the edits that are wanted.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "migrator/review/accepted.h"
#include "migrator/review/saved_report.h"

namespace migrator {

struct FileChange {
    SavedFile file;        // with the edits that are made, and the findings that they belong to
    std::string original;  // bytes; empty for a new file, and of a copy that is written
    std::string content;
    std::uint32_t mode = 0644;  // of a new file: less the umask

    bool is_new() const { return !file.original.sha256; }
};

// The files that these findings change. `tree`: beneath the `root` of the project. Fails with bad_input when one is not as the
// report has seen it, or its path is refused (check_file_paths), and with unsupported when a text has no form in its file's
// encoding.
base::Result<std::vector<FileChange>> changes_of(base::FileSystem& tree, const SavedReport& report,
                                                 const base::Path& root, const std::set<std::string>& findings);

}  // namespace migrator
