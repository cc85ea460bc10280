// SavedReport: what deciding and applying need of a report.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/record.h"
#include "base/text_position.h"
#include "base/text_sink.h"

namespace migrator {

struct SavedPlace {
    std::uint64_t line = 1;
};

struct SavedFinding {
    std::string id;
    std::string rule;
    std::string severity;
    std::string state;
    std::string subject;
    SavedPlace begin;
    std::vector<std::string> together;

    // The run made the edits of it, or would have.
    bool is_made_by_run() const { return state == "applied" || state == "available"; }
};

struct SavedEdit {
    std::uint64_t begin_byte = 0;  // of the original
    std::uint64_t end_byte = 0;
    base::ByteRange bytes() const { return {begin_byte, end_byte}; }
    std::string old_text;
    std::string new_text;
    std::vector<std::string> findings;
};

struct SavedOriginal {
    std::optional<std::string> sha256;  // empty: there is no such file yet
    std::optional<std::uint32_t> new_mode;
    std::string encoding;

    std::uint32_t mode() const { return new_mode.value_or(0644); }
    base::Status check(const base::JsonPlace& at);
};

struct SavedFile {
    base::Path path;
    SavedOriginal original;
    std::vector<SavedFinding> findings;
    std::vector<SavedEdit> edits;   // sorted and without conflicts
    std::string sha256_after = {};  // of the file with these edits; of applied runs

    base::Status check(const base::JsonPlace& at) const;
};

struct SavedReport {
    base::Path file;
    std::string schema = {};
    base::Path root;
    std::vector<std::string> include = {};  // patterns, by which files are part of the project
    std::optional<base::Path> output = {};  // of what was applied: the copy; none: the sources themselves
    std::string token = {};  // of what was applied in place: of the unfinished files, see base/write_file.h
    std::vector<SavedFile> files;

    base::Status check(const base::JsonPlace& at) const;
};

constexpr auto record_of(const SavedPlace*) {
    return base::record("place", "where a finding begins", base::field("line", &SavedPlace::line, "from 1").always());
}
constexpr auto record_of(const SavedFinding*) {
    using F = SavedFinding;
    return base::record("finding", "what is needed of a finding", base::field("id", &F::id, "of the finding").always(),
                        base::field("rule", &F::rule, "its rule").always(),
                        base::field("severity", &F::severity, "its severity").always(),
                        base::field("state", &F::state, "what became of its fix").always(),
                        base::field("subject", &F::subject, "what was found").always(),
                        base::field("begin", &F::begin, "where it begins").always(),
                        base::field("together", &F::together, "findings whose edits are one with its own"));
}
constexpr auto record_of(const SavedEdit*) {
    using E = SavedEdit;
    return base::record("edit", "a replacement", base::field("begin_byte", &E::begin_byte, "of the original").always(),
                        base::field("end_byte", &E::end_byte, "exclusive").always(),
                        base::field("old_text", &E::old_text, "that stands there").always(),
                        base::field("new_text", &E::new_text, "that takes its place").always(),
                        base::field("findings", &E::findings, "that want it").always());
}
constexpr auto record_of(const SavedOriginal*) {
    using O = SavedOriginal;
    return base::record("original", "the file before the edits",
                        base::field("sha256", &O::sha256, "of its bytes; null: there was none").always(),
                        base::field("new_mode", &O::new_mode, "the permissions of a new file"),
                        base::field("encoding", &O::encoding, "of the file").always());
}
constexpr auto record_of(const SavedFile*) {
    using F = SavedFile;
    return base::record("file", "a file with edits", base::field("path", &F::path, "below the root").always(),
                        base::field("original", &F::original, "what it was"),
                        base::field("sha256_after", &F::sha256_after, "of the file with its edits"),
                        base::field("findings", &F::findings, "that were decided").always(),
                        base::field("edits", &F::edits, "that were made").always());
}
constexpr auto record_of(const SavedReport*) {
    using R = SavedReport;
    return base::record("applied", "what was applied", base::field("schema", &R::schema, "of the file").always(),
                        base::field("root", &R::root, "that the paths count from").always(),
                        base::field("include", &R::include, "the patterns of `--include`"),
                        base::field("output", &R::output, "the copy; without it: the sources themselves"),
                        base::field("token", &R::token, "of the unfinished files of the run"),
                        base::field("files", &R::files, "that were changed").always());
}

// Fails with bad_input when a path of it is no plain path below its root, is inside of .git or .migrator, makes a new hidden
// file, or stands there twice. Nothing is written for such a report.
base::Status check_file_paths(const SavedReport& report);
// Fails with bad_input when an edit of the file ends after its original of so many bytes.
base::Status check_edits_inside(const SavedFile& file, std::uint64_t bytes);
// Fails with usage when one of the changed files is hidden: of a project that nobody has named, and which may be no project.
// `knows_bytes`: nothing is written unless all of them have the bytes that they are said to have; then a file that is not hidden
// shows that this is the project.
base::Status check_nothing_hidden(const std::vector<const SavedFile*>& changed, bool knows_bytes);

// Fails with bad_input, with the place, when it is no report of a schema that is known.
base::Result<SavedReport> read_report(base::FileSystem& fs, const base::Path& path);

// The same of a file that `applied_json` has made: the edits that were made.
base::Result<SavedReport> read_applied(base::FileSystem& fs, const base::Path& path);
void applied_json(SavedReport applied, const base::TextSink& out);

}  // namespace migrator
