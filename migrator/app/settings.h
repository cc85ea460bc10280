// Settings: the table [tool.migrator] of a pyproject.toml: options that need not be said on every command line.
//
//   [tool.migrator]
//   exclude = ["legacy/"]
//   fail-on = "error"
#pragma once

#include <string>
#include <vector>

#include "base/file_system.h"

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
};

// Of this file. Fails with usage when it cannot be read, is no TOML, has no such table, or a value of it is no text,
// number, truth value or list of these.
base::Result<Settings> read_settings(base::FileSystem& fs, const base::Path& file);

// Of the nearest pyproject.toml with such a table: beside `path` (in it, when it is a directory) or above, up to the
// directory that holds `.git`. Without one the settings are empty; a file that is broken fails.
base::Result<Settings> find_settings(base::FileSystem& fs, const base::Path& path);

}  // namespace migrator
