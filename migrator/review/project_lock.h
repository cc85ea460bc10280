// ProjectLock: one run at a time changes the files of a project, and a run that was stopped while it did is noticed by the next.
//
//   ROOT/.migrator.run     its journal (base/run_journal.h), as long as it lasts
#pragma once

#include <optional>
#include <string>

#include "base/file_system.h"
#include "base/run_journal.h"

namespace migrator {

// Of the tool in a project; runs leave it out.
inline constexpr std::string_view kRecordFolder = ".migrator";

// A run that was stopped while it changed files.
struct StoppedRun {
    base::Path record;  // absolute; empty: it kept none
    std::string token;  // of its unfinished files: see base/write_file.h

    // What to do about it. `root`: of the project.
    std::string text(const base::Path& root) const;
};

// Fails with usage when a run was stopped, or is at work, in the project or in a directory above it.
base::Status check_not_stopped(base::FileSystem& fs, const base::Path& root);

class ProjectLock {
public:
    // `tree`: beneath the root of the project. Fails with usage while another run changes it.
    static base::Result<ProjectLock> take(base::FileSystem& tree);
    ProjectLock(ProjectLock&& other) noexcept;
    ProjectLock& operator=(ProjectLock&&) = delete;
    ~ProjectLock();  // leaves no trace when nothing was begun

    std::optional<StoppedRun> stopped() const;
    // From here on files change, unless it fails.
    base::Status begin(const StoppedRun& as_if_stopped);
    // All files are as they should be.
    base::Status finish();

private:
    explicit ProjectLock(base::RunJournal journal);

    base::RunJournal journal_;
    bool is_traceless_;
};

// Removes .migrator when nothing is in it that anybody needs.
base::Status remove_empty_record_folder(base::FileSystem& tree);

}  // namespace migrator
