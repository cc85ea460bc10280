// StagedOutput: an output directory that appears whole or not at all.
//
//   DIR/.ckpt_convert.run         the journal of the run that writes here (base/run_journal.h): one at a time
//   DIR/.unfinished-3f2a.../      its files, until all of them are complete; then they move up
//
// A run that died before they moved is cleaned up by the next one, or gone on with when that is wanted: the journal tells which
// files were finished. One that died while they moved is finished by the next run of the same conversion, or taken back by
// any other.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/new_directories.h"
#include "base/publication.h"
#include "base/run_journal.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/execute/finished_files.h"

namespace ckpt {

// What becomes of finished files when a run ends before all of them are.
enum class Unfinished {
    removed,  // all of them
    kept,     // the finished ones stay for the next run of the same conversion
};

class StagedOutput {
public:
    // `conversion`: a word that another conversion does not have. Fails with usage when the directory holds anything but the
    // remains of a run that died, when another run writes there, and with `kept` when the remains are those of another
    // conversion.
    static Result<StagedOutput> begin(base::FileSystem& fs, const Path& directory, const std::string& conversion,
                                      Unfinished unfinished = Unfinished::removed);
    // One part of an output that several runs write: the files go to DIR/`part`, and commit() is not for it.
    static Result<StagedOutput> begin_part(base::FileSystem& fs, const Path& directory, const std::string& part);
    StagedOutput(StagedOutput&& other) noexcept;
    StagedOutput& operator=(StagedOutput&&) = delete;
    ~StagedOutput();

    // A run of the same conversion has written all of it and died: only commit() is left to do.
    bool is_complete() const { return complete_; }
    // What begin() has found and done, for the user.
    const std::vector<std::string>& notes() const { return notes_; }

    // Where the files are until they are published.
    const Path& path() const { return staging_; }
    // Of what a run had finished that died, the files that are whole; all others are removed. Reads all of them, on at most
    // `threads` threads, and tells `progress` of every byte.
    Result<std::vector<FinishedFile>> reuse(int threads, const std::function<void(std::uint64_t bytes)>& progress);
    // The files that are finished and stay when this run ends now.
    const std::vector<FinishedFile>& kept() const { return kept_; }
    // A new file; its parent directories are made. Thread-safe, as is finish().
    Result<std::unique_ptr<base::WritableFile>> create(const std::string& relative);
    // The file has all its bytes: they go to the disk, and commit() will look whether it is still as it is now.
    Status finish(const std::string& relative, base::WritableFile& file);
    // Besides, the journal says so for the next run.
    Status finish(FinishedFile finished, base::WritableFile& file);
    Status write(const std::string& relative, std::string_view content);

    // Publishes the files, the entries of the directory that `last` names at the end, in that order. `planned`: files with
    // their sizes, which must be there. Success is what was seen in DIR, not what was asked for.
    Status commit(const std::vector<std::string>& last, const std::vector<base::PlannedFile>& planned);
    // Leaves everything where it is.
    void keep();

private:
    StagedOutput(base::FileSystem& fs, Path directory, Path staging, base::NewDirectories made)
        : fs_(&fs), directory_(std::move(directory)), staging_(std::move(staging)), made_(std::move(made)) {}

    Status remove_files();
    std::vector<std::string> kept_paths() const;

    base::FileSystem* fs_;
    Path directory_;
    Path staging_;
    base::NewDirectories made_;
    bool open_ = true;
    bool complete_ = false;
    std::optional<base::RunJournal> journal_;
    Unfinished unfinished_ = Unfinished::removed;
    std::vector<FinishedFile> kept_;  // of a run that died, until reuse(), what its journal says
    std::vector<std::string> notes_;
    std::unique_ptr<std::mutex> finishing_ = std::make_unique<std::mutex>();
    std::vector<base::WrittenFile> written_;
    std::vector<base::PublishedEntry> published_;  // since commit() began; of a run that died, since it did
};

inline constexpr const char* kRunJournal = ".ckpt_convert.run";
inline constexpr const char* kShardStaging = ".shards";  // of several workers: see shard_set.h

// The check of begin() alone, for callers that want to refuse early.
Status require_free_directory(base::FileSystem& fs, const Path& directory);

// Of workers: nothing but `.shards` may be there.
Status require_shards_only(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
