// WrittenFiles: what a run rewrites, kept until the whole report is known; then as `undo` and `reapply` need it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "migrator/app/options.h"
#include "migrator/report/report.h"
#include "migrator/review/changes.h"

namespace migrator {

// The bytes to write; the original ones, with a finding, when the new text has no form in the file's encoding.
std::string bytes_after(const SourceFile& source, FileOutcome& outcome);

class WrittenFiles {
public:
    // Files are known by their numbers in the report that grows. Thread-safe for different numbers.
    void expect(std::size_t count) { files_.resize(count); }
    // `in_place`: what is not on the disk yet, and what will not be there any more. A copy has both.
    void add(std::size_t number, const std::string& original, std::string content, std::uint32_t mode, bool in_place);

    // The changed files of the report, with the edits that were made; those behind the expected ones are new. Takes the texts.
    std::vector<FileChange> changes(const std::vector<ReportFile>& report);

private:
    struct Written {
        std::string sha256;  // of the content
        std::uint32_t mode = 0644;
        std::string original = {};  // in place
        std::string content = {};   // in place, and of a new file
    };

    static FileChange change(const ReportFile& file, Written written);

    std::vector<std::optional<Written>> files_;
};

// Writes all of the sources, or none; `then` belongs to it: where that fails, they are put back. the record of it, which is empty when there was nothing to write, or none is wanted.
base::Result<base::Path> write_sources(base::FileSystem& fs, const Options& options, const base::Path& root,
                                       const std::vector<FileChange>& changes,
                                       const std::function<base::Status()>& then);

// The record of a copy that is complete, and not published yet.
base::Status record_copy(base::FileSystem& fs, const Options& options, const base::Path& root,
                         const std::vector<FileChange>& changes);

}  // namespace migrator
