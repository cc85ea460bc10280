// rule_files: checking and beginning rule files of the user's own.
#pragma once

#include <vector>

#include "base/file_system.h"

namespace migrator {

struct RuleFileCheck {
    std::uint64_t files = 0;
    std::vector<base::Error> problems;  // by file
};

// Loads each rule file of the directory by itself, so that one mistake does not hide the next file's, and then all of
// them together. Files where no rules are looked for are problems, too.
base::Result<RuleFileCheck> check_rule_files(base::FileSystem& fs, const base::Path& directory);

// Writes a rule file to start from, and its case with the expected output in `cases` beside it; gives the three paths.
// Fails with usage when the name does not end in .json, or a file is there.
base::Result<std::vector<base::Path>> write_rule_template(base::FileSystem& fs, const base::Path& file);

}  // namespace migrator
