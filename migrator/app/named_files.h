// The report or the record that is meant by the directory that holds it.
#pragma once

#include "base/file_system.h"

namespace migrator {

// A report.json: `path` itself, or the one in the directory `path` or in its report directory.
base::Path named_report(base::FileSystem& fs, const base::Path& path);

// The record of applied edits: `path` itself, or the newest one in the directory `path` or in the project `path`.
// Fails with bad_input when there is none.
base::Result<base::Path> named_record(base::FileSystem& fs, const base::Path& path);

}  // namespace migrator
