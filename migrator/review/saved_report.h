// SavedReport: what deciding and applying need of a report.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/text_position.h"
#include "base/text_sink.h"

namespace migrator {

struct SavedFinding {
    std::string id;
    std::string rule;
    std::string severity;
    std::string state;
    std::string subject;
    std::uint64_t line = 1;
    std::vector<std::string> together;

    // The run made the edits of it, or would have.
    bool is_made_by_run() const { return state == "applied" || state == "available"; }
};

struct SavedEdit {
    base::ByteRange bytes;  // of the original
    std::string old_text;
    std::string new_text;
    std::vector<std::string> findings;
};

struct SavedFile {
    base::Path path;
    std::optional<std::string> sha256;  // of the original; empty: there is no such file yet
    std::uint32_t new_mode = 0644;
    std::string encoding;
    std::vector<SavedFinding> findings;
    std::vector<SavedEdit> edits;   // sorted and without conflicts
    std::string sha256_after = {};  // of the file with these edits; of applied runs
};

struct SavedReport {
    base::Path file;
    base::Path root;
    base::Path output = {};  // of what was applied: the copy; empty: the sources themselves
    std::string token = {};  // of what was applied in place: of the unfinished files, see base/write_file.h
    std::vector<SavedFile> files;
};

// Fails with bad_input when a path of it is no plain path below its root, is inside of .git or .migrator, makes a new hidden
// file, or stands there twice. Nothing is written for such a report.
base::Status check_file_paths(const SavedReport& report);
// Fails with usage when it changes a hidden file: of a project that nobody has named, and which may be no project.
base::Status check_nothing_hidden(const SavedReport& report);

// Fails with bad_input, with the place, when it is no report of a schema that is known.
base::Result<SavedReport> read_report(base::FileSystem& fs, const base::Path& path);

// The same of a file that `applied_json` has made: the edits that were made.
base::Result<SavedReport> read_applied(base::FileSystem& fs, const base::Path& path);
void applied_json(const SavedReport& applied, const base::TextSink& out);

}  // namespace migrator
