#include "migrator/review/project_lock.h"

#include <algorithm>
#include <utility>

#include "base/format.h"

namespace migrator {
namespace {

using base::Path;
using base::RunJournal;

constexpr std::string_view kIgnoreFile = ".gitignore";
constexpr std::string_view kRecord = "record";
constexpr std::string_view kToken = "token";

Path journal_path() { return base::join(kRecordFolder, "run"); }

std::optional<StoppedRun> stopped_of(const RunJournal::Entries& left) {
    StoppedRun out;
    for (const auto& [key, value] : left) {
        if (key == kRecord) out.record = value;
        if (key == kToken) out.token = value;
    }
    return out.token.empty() ? std::nullopt : std::optional(out);
}

}  // namespace

std::string StoppedRun::text(const Path& root) const {
    const std::string what = "a run of migrator was stopped while it changed this project, or is changing it now";
    if (record.empty())
        return base::format("{}, and keeps no record: restore the files from version control, and remove {}", what,
                            base::join(root, journal_path()));
    return base::format("{}; put the files back with `migrator undo {} --project {}`", what, record, root);
}

base::Status check_not_stopped(base::FileSystem& fs, const Path& root) {
    for (const Path& directory : base::directories_above(fs, root)) {
        TRY_ASSIGN(const auto left, RunJournal::peek(fs, base::join(directory, journal_path())));
        if (const auto stopped = stopped_of(left))
            return base::fail(base::ErrorKind::usage, stopped->text(directory), root);
    }
    return {};
}

base::Result<ProjectLock> ProjectLock::take(base::FileSystem& tree) {
    TRY(tree.make_directories(Path(kRecordFolder)));
    TRY_ASSIGN(RunJournal journal, RunJournal::open(tree, journal_path()));
    return ProjectLock(tree, std::move(journal));
}

ProjectLock::ProjectLock(base::FileSystem& tree, RunJournal journal)
    : tree_(&tree), journal_(std::move(journal)), is_traceless_(journal_.left().empty()) {}

ProjectLock::ProjectLock(ProjectLock&& other) noexcept
    : tree_(other.tree_),
      journal_(std::move(other.journal_)),
      is_traceless_(std::exchange(other.is_traceless_, false)) {}

ProjectLock::~ProjectLock() {
    if (is_traceless_) static_cast<void>(finish().has_value());
}

std::optional<StoppedRun> ProjectLock::stopped() const { return stopped_of(journal_.left()); }

base::Status ProjectLock::begin(const StoppedRun& as_if_stopped) {
    is_traceless_ = false;
    TRY(journal_.start());
    TRY(journal_.say(kRecord, as_if_stopped.record));
    return journal_.say(kToken, as_if_stopped.token);
}

// The journal goes after all else: until then the next run can go on.
base::Status ProjectLock::finish() {
    is_traceless_ = false;
    const Path folder(kRecordFolder);
    TRY_ASSIGN(const auto entries, tree_->list(folder));
    const bool is_needed = std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
        return entry.name != kIgnoreFile && entry.name != base::file_name(journal_path());
    });
    const Path ignore = base::join(folder, kIgnoreFile);
    if (!is_needed && tree_->exists(ignore)) TRY(tree_->remove(ignore));
    TRY(journal_.finish());
    return is_needed ? base::Status{} : tree_->remove(folder);
}

}  // namespace migrator
