#include "migrator/review/project_lock.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/shell_word.h"

namespace migrator {
namespace {

using base::Path;
using base::RunJournal;

constexpr std::string_view kIgnoreFile = ".gitignore";
constexpr std::string_view kRecord = "record";
constexpr std::string_view kToken = "token";

constexpr const char* kJournal = ".migrator.run";

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
                            base::join(root, kJournal));
    return base::format("{}; put the files back with `migrator undo {} --project {}`", what, base::shell_path(record),
                        base::shell_path(root));
}

base::Status check_not_stopped(base::FileSystem& fs, const Path& root) {
    for (const Path& directory : base::directories_above(fs, root)) {
        TRY_ASSIGN(const auto left, RunJournal::peek(fs, base::join(directory, kJournal)));
        if (const auto stopped = stopped_of(left))
            return base::fail(base::ErrorKind::usage, stopped->text(directory), root);
    }
    return {};
}

base::Result<ProjectLock> ProjectLock::take(base::FileSystem& tree) {
    TRY_ASSIGN(RunJournal journal, RunJournal::open(tree, kJournal));
    return ProjectLock(std::move(journal));
}

ProjectLock::ProjectLock(RunJournal journal) : journal_(std::move(journal)), is_traceless_(journal_.left().empty()) {}

ProjectLock::ProjectLock(ProjectLock&& other) noexcept
    : journal_(std::move(other.journal_)), is_traceless_(std::exchange(other.is_traceless_, false)) {}

ProjectLock::~ProjectLock() {
    if (is_traceless_) static_cast<void>(finish().has_value());
}

std::optional<StoppedRun> ProjectLock::stopped() const { return stopped_of(journal_.left()); }

base::Status ProjectLock::begin(const StoppedRun& as_if_stopped) {
    TRY(journal_.start());
    TRY(journal_.say(kRecord, as_if_stopped.record));
    TRY(journal_.say(kToken, as_if_stopped.token));
    is_traceless_ = false;
    return {};
}

base::Status ProjectLock::finish() {
    is_traceless_ = false;
    return journal_.finish();
}

base::Status remove_empty_record_folder(base::FileSystem& tree) {
    const Path folder(kRecordFolder);
    if (!tree.exists(folder)) return {};
    TRY_ASSIGN(const auto entries, tree.list(folder));
    const bool is_needed =
        std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.name != kIgnoreFile; });
    return is_needed ? base::Status{} : base::remove_tree(tree, folder);
}

}  // namespace migrator
