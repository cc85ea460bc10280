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
    StagedOutput(StagedOutput&& other) noexcept;
    StagedOutput& operator=(StagedOutput&&) = delete;
    ~StagedOutput();

    // Where to write: a path inside the staging directory. Parent directories are made.
    base::Result<base::Path> path_for(const std::string& relative);
    // Moves every entry of the staging directory to its place, the ones named in `last` at the end, in that order.
    base::Status commit(const std::vector<std::string>& last);

private:
    StagedOutput(base::FileSystem& fs, base::Path directory, bool created)
        : fs_(&fs), directory_(std::move(directory)), created_(created) {}

    base::FileSystem* fs_;
    base::Path directory_;
    bool created_;
    bool open_ = true;
};

// The check of begin() alone, for callers that want to refuse early.
base::Status require_empty_directory(base::FileSystem& fs, const base::Path& directory);

}  // namespace ckpt
