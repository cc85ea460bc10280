// StagedOutput: an output directory that appears whole or not at all.
//
// Everything is written below DIR/.partial and moved up at the end; without commit() nothing stays.
#pragma once

#include <string>
#include <vector>

#include "base/file_system.h"

namespace ckpt {

class StagedOutput {
public:
    // Fails with usage when `directory` exists and holds anything but the remains of a killed run.
    static base::Result<StagedOutput> begin(base::FileSystem& fs, const base::Path& directory);
    // One part of an output that several runs write: below DIR/`part` instead of DIR/.partial.
    static base::Result<StagedOutput> begin_part(base::FileSystem& fs, const base::Path& directory,
                                                 const std::string& part);
    StagedOutput(StagedOutput&& other) noexcept;
    StagedOutput& operator=(StagedOutput&&) = delete;
    ~StagedOutput();

    // Where to write: a path inside the staging directory. Parent directories are made.
    base::Result<base::Path> path_for(const std::string& relative);
    // Moves every entry of the staging directory to its place, the ones named in `last` at the end, in that order.
    base::Status commit(const std::vector<std::string>& last);
    // Leaves everything where it is.
    void keep() { open_ = false; }

private:
    StagedOutput(base::FileSystem& fs, base::Path directory, base::Path staging, bool created)
        : fs_(&fs), directory_(std::move(directory)), staging_(std::move(staging)), created_(created) {}

    base::FileSystem* fs_;
    base::Path directory_;
    base::Path staging_;
    bool created_;
    bool open_ = true;
};

// The directory of a conversion by a single run, and that of several workers (see shard_set.h).
inline constexpr const char* kStaging = ".partial";
inline constexpr const char* kShardStaging = ".shards";

// The check of begin() alone, for callers that want to refuse early. `remains`: the one entry that may be there.
base::Status require_empty_directory(base::FileSystem& fs, const base::Path& directory,
                                     const std::string& remains = kStaging);

// Moves every entry of `staging` to `directory`, the ones named in `last` at the end, in that order, and removes `staging`.
base::Status publish_directory(base::FileSystem& fs, const base::Path& staging, const base::Path& directory,
                               const std::vector<std::string>& last);

}  // namespace ckpt
