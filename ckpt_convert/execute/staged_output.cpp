#include "ckpt_convert/execute/staged_output.h"

#include <algorithm>

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Path;
using base::Result;
using base::Status;

constexpr const char* kStaging = ".partial";

}  // namespace

Status require_empty_directory(base::FileSystem& fs, const Path& directory) {
    if (!fs.exists(directory)) return {};
    TRY_ASSIGN(auto info, fs.info(directory));
    if (info.kind != base::FileKind::directory) {
        return base::fail(ErrorKind::usage, "the output must be a directory, but this is a file", directory);
    }
    TRY_ASSIGN(auto entries, fs.list(directory));
    bool only_remains =
        std::all_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.name == kStaging; });
    if (only_remains) return {};
    return base::fail(ErrorKind::usage, "the output directory is not empty; name a new one, or empty it first",
                      directory);
}

Result<StagedOutput> StagedOutput::begin(base::FileSystem& fs, const Path& directory) {
    TRY(require_empty_directory(fs, directory));
    bool created = !fs.exists(directory);
    StagedOutput output(fs, directory, created);
    TRY(base::remove_tree(fs, base::join(directory, kStaging)));
    TRY(fs.make_directories(base::join(directory, kStaging)));
    return output;
}

StagedOutput::StagedOutput(StagedOutput&& other) noexcept
    : fs_(other.fs_),
      directory_(std::move(other.directory_)),
      created_(other.created_),
      open_(std::exchange(other.open_, false)) {}

StagedOutput::~StagedOutput() {
    if (!open_) return;
    // Best effort: the error that brought us here is the one to report.
    auto removed = base::remove_tree(*fs_, base::join(directory_, kStaging));
    if (removed && created_) (void)fs_->remove(directory_);
}

Result<Path> StagedOutput::path_for(const std::string& relative) {
    Path path = base::join(base::join(directory_, kStaging), relative);
    TRY(fs_->make_directories(base::parent(path)));
    return path;
}

Status StagedOutput::commit(const std::vector<std::string>& last) {
    Path staging = base::join(directory_, kStaging);
    TRY_ASSIGN(auto entries, fs_->list(staging));
    auto is_last = [&](const std::string& name) { return std::find(last.begin(), last.end(), name) != last.end(); };
    for (const auto& entry : entries) {
        if (!is_last(entry.name)) TRY(fs_->rename(base::join(staging, entry.name), base::join(directory_, entry.name)));
    }
    // What makes the checkpoint visible to its readers must reach the disk after everything else.
    TRY(fs_->sync_directory(directory_));
    for (const auto& name : last) {
        if (fs_->exists(base::join(staging, name)))
            TRY(fs_->rename(base::join(staging, name), base::join(directory_, name)));
    }
    TRY(fs_->sync_directory(directory_));
    open_ = false;
    return fs_->remove(staging);
}

}  // namespace ckpt
