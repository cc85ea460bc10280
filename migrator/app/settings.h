// Settings: the table [tool.migrator] of a pyproject.toml: options that need not be said on every command line.
//
//   [tool.migrator]
//   exclude = ["legacy/"]
//   fail-on = "error"
#pragma once

#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/message.h"

namespace migrator {

struct Setting {
    std::string key;                  // the long name of an option, without the dashes
    std::vector<std::string> values;  // as they would stand on the command line
    std::string where;                // file:line:column
};

struct Settings {
    base::Path file;        // empty: there are none
    bool is_named = false;  // by the user: otherwise it is the project's, which may come from anywhere
    std::vector<Setting> items;
    base::Message left_out = {};  // of a file that does not count: which, why, and what to do
};

// Whether a note is about settings that belong to another user: that is said in any case.
bool is_about_others_settings(const base::Message& note);

// Of this file. Fails with usage when it cannot be read, is no TOML, has no such table, or a value of it is no text,
// number, truth value or list of these.
base::Result<Settings> read_settings(base::FileSystem& fs, const base::Path& file);

// Of the nearest pyproject.toml with such a table: in `path`, when it is a directory, or above it, where a repository's root is as
// high or higher, and file, directory and repository belong to the user (see base/owner.h). One next to a single file counts as one
// above it, and needs no repository. Without one the settings are empty; a file that is broken fails.
base::Result<Settings> find_settings(base::FileSystem& fs, const base::Path& path);

}  // namespace migrator
