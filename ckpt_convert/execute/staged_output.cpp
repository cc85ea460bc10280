#include "ckpt_convert/execute/staged_output.h"

#include <algorithm>

#include "base/format.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Path;
using base::Result;
using base::Status;

}  // namespace

Status require_empty_directory(base::FileSystem& fs, const Path& directory, const std::string& remains) {
    if (!fs.exists(directory)) return {};
    TRY_ASSIGN(auto info, fs.info(directory));
    if (info.kind != base::FileKind::directory) {
        return base::fail(ErrorKind::usage, "the output must be a directory, but this is a file", directory);
    }
    TRY_ASSIGN(auto entries, fs.list(directory));
    bool only_remains =
        std::all_of(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == remains; });
    if (only_remains) return {};
    if (entries.size() == 1 && entries.front().name == kShardStaging) {
        return base::fail(
            ErrorKind::usage,
            base::format("workers (--shard) write here; publish their output with ckpt_convert commit, or "
                         "remove {}",
                         base::join(directory, kShardStaging)),
            directory);
    }
    return base::fail(ErrorKind::usage, "the output directory is not empty; name a new one, or empty it first",
                      directory);
}

Result<StagedOutput> StagedOutput::begin(base::FileSystem& fs, const Path& directory) {
    TRY(require_empty_directory(fs, directory));
    bool created = !fs.exists(directory);
    StagedOutput output(fs, directory, base::join(directory, kStaging), created);
    TRY(base::remove_tree(fs, output.staging_));
    TRY(fs.make_directories(output.staging_));
    return output;
}

Result<StagedOutput> StagedOutput::begin_part(base::FileSystem& fs, const Path& directory, const std::string& part) {
    StagedOutput output(fs, directory, base::join(directory, part), false);
    TRY(fs.make_directories(output.staging_));
    return output;
}

StagedOutput::StagedOutput(StagedOutput&& other) noexcept
    : fs_(other.fs_),
      directory_(std::move(other.directory_)),
      staging_(std::move(other.staging_)),
      created_(other.created_),
      open_(std::exchange(other.open_, false)) {}

StagedOutput::~StagedOutput() {
    if (!open_) return;
    // Best effort: the error that brought us here is the one to report.
    auto removed = base::remove_tree(*fs_, staging_);
    if (removed && created_) (void)fs_->remove(directory_);
}

Result<Path> StagedOutput::path_for(const std::string& relative) {
    Path path = base::join(staging_, relative);
    TRY(fs_->make_directories(base::parent(path)));
    return path;
}

Status StagedOutput::commit(const std::vector<std::string>& last) {
    TRY(publish_directory(*fs_, staging_, directory_, last));
    open_ = false;
    return {};
}

Status publish_directory(base::FileSystem& fs, const Path& staging, const Path& directory,
                         const std::vector<std::string>& last) {
    TRY_ASSIGN(auto entries, fs.list(staging));
    auto is_last = [&](const std::string& name) { return std::find(last.begin(), last.end(), name) != last.end(); };
    for (const auto& entry : entries) {
        if (!is_last(entry.name)) TRY(fs.rename(base::join(staging, entry.name), base::join(directory, entry.name)));
    }
    // What makes the checkpoint visible to its readers must reach the disk after everything else.
    TRY(fs.sync_directory(directory));
    for (const auto& name : last) {
        if (fs.exists(base::join(staging, name)))
            TRY(fs.rename(base::join(staging, name), base::join(directory, name)));
    }
    TRY(fs.sync_directory(directory));
    return fs.remove(staging);
}

}  // namespace ckpt
