// StagedOutput: an output directory that appears whole or not at all.
//
//   DIR/.ckpt_convert.run         the journal of the run that writes here (base/run_journal.h): one at a time
//   DIR/.unfinished-3f2a.../      its files, until all of them are complete; then they move up
//
// A run that died before they moved is cleaned up by the next one; one that died while they moved is finished by the next
// run of the same conversion, or taken back by any other.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/new_directories.h"
#include "base/run_journal.h"
#include "ckpt_convert/execute/publication.h"

namespace ckpt {

class StagedOutput {
public:
    // `conversion`: digits that another conversion does not have. Fails with usage when the directory holds anything but the
    // remains of a run that died, or when another run writes there.
    static base::Result<StagedOutput> begin(base::FileSystem& fs, const base::Path& directory,
                                            const std::string& conversion);
    // One part of an output that several runs write: the files go to DIR/`part`, and commit() is not for it.
    static base::Result<StagedOutput> begin_part(base::FileSystem& fs, const base::Path& directory,
                                                 const std::string& part);
    StagedOutput(StagedOutput&& other) noexcept;
    StagedOutput& operator=(StagedOutput&&) = delete;
    ~StagedOutput();

    // A run of the same conversion has written all of it and died: only commit() is left to do.
    bool is_complete() const { return complete_; }
    // What begin() has found and done, for the user.
    const std::vector<std::string>& notes() const { return notes_; }

    // Where the files are until they are published.
    const base::Path& path() const { return staging_; }
    // A new file; its parent directories are made. Thread-safe, as is finish().
    base::Result<std::unique_ptr<base::WritableFile>> create(const std::string& relative);
    // The file has all its bytes: they go to the disk, and commit() will look whether it is still as it is now.
    base::Status finish(const std::string& relative, base::WritableFile& file);
    base::Status write(const std::string& relative, std::string_view content);

    // Publishes the files, the entries of the directory that `last` names at the end, in that order. `planned`: files with
    // their sizes, which must be there. Success is what was seen in DIR, not what was asked for.
    base::Status commit(const std::vector<std::string>& last, const std::vector<PlannedFile>& planned);
    // Leaves everything where it is.
    void keep();

private:
    StagedOutput(base::FileSystem& fs, base::Path directory, base::Path staging, base::NewDirectories made)
        : fs_(&fs), directory_(std::move(directory)), staging_(std::move(staging)), made_(std::move(made)) {}

    base::Status remove_files();

    base::FileSystem* fs_;
    base::Path directory_;
    base::Path staging_;
    base::NewDirectories made_;
    bool open_ = true;
    bool complete_ = false;
    std::optional<base::RunJournal> journal_;
    std::vector<std::string> notes_;
    std::unique_ptr<std::mutex> finishing_ = std::make_unique<std::mutex>();
    std::vector<WrittenFile> written_;
    std::vector<PublishedEntry> published_;  // since commit() began; of a run that died, since it did
};

inline constexpr const char* kRunJournal = ".ckpt_convert.run";
inline constexpr const char* kShardStaging = ".shards";  // of several workers: see shard_set.h

// The check of begin() alone, for callers that want to refuse early.
base::Status require_free_directory(base::FileSystem& fs, const base::Path& directory);

// Of workers: nothing but `.shards` may be there.
base::Status require_shards_only(base::FileSystem& fs, const base::Path& directory);

}  // namespace ckpt
