// RunJournal: a file beside an output that one run holds locked while it writes, and in which it says first what it is about to
// make. A run that finds it unlocked knows by it what a run that died has left.
//
//   migration-toolkit: a run is writing here, or has died. The next run cleans up.
//   KEY VALUE
//   ...
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_system.h"

namespace base {

class RunJournal {
public:
    using Entries = std::vector<std::pair<std::string, std::string>>;

    // Fails with usage when another run has it, or when the file is none of ours.
    static Result<RunJournal> open(FileSystem& fs, const Path& path);
    // What it says, without taking it; no entries where there is none.
    static Result<Entries> peek(FileSystem& fs, const Path& path);

    // What the run said that died; nothing when there was none.
    const Entries& left() const { return left_; }
    std::optional<std::string> left(std::string_view key) const;  // its last value

    // Forgets what is left, which has been dealt with.
    Status start();
    // Keeps what is left, and drops the line that was being written.
    Status go_on();
    // On the disk when it returns. No newline in either.
    Status say(std::string_view key, std::string_view value);
    // Removes the file. Without it the file stays, for the next run.
    Status finish();

private:
    RunJournal(std::unique_ptr<LockedFile> file, Entries left) : file_(std::move(file)), left_(std::move(left)) {}

    std::unique_ptr<LockedFile> file_;
    Entries left_;
};

}  // namespace base
