#include "base/run_journal.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"

namespace base {
namespace {

constexpr std::string_view kHeader = "migration-toolkit: a run is writing here, or has died. The next run cleans up.\n";
constexpr char kLineEnd = '\0';  // in a value, which may be any path
constexpr std::uint64_t kMaxBytes = 64 << 20;

// A file of another kind, or one that ends within the header, which a run that died at once leaves.
Result<RunJournal::Entries> parse(std::string_view text, const Path& path) {
    if (!text.starts_with(kHeader.substr(0, std::min(text.size(), kHeader.size()))))
        return fail(ErrorKind::usage, "a run needs this name for a while; move what has it", path);
    RunJournal::Entries out;
    text.remove_prefix(std::min(text.size(), kHeader.size()));
    // What comes behind the last newline was being written when the run died.
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
        const std::string_view line = text.substr(0, end);
        const std::size_t blank = std::min(line.find(' '), line.size());
        out.emplace_back(line.substr(0, blank), line.substr(std::min(blank + 1, line.size())));
        std::ranges::replace(out.back().second, kLineEnd, '\n');
        text.remove_prefix(end + 1);
    }
    return out;
}

}  // namespace

Result<RunJournal> RunJournal::open(FileSystem& fs, const Path& path) {
    TRY_ASSIGN(auto file, fs.lock(path));
    if (file == nullptr)
        return fail(ErrorKind::usage, "another run is writing here; wait for it, or name another output", path);
    TRY_ASSIGN(Entries left, parse(file->content(), path));
    return RunJournal(std::move(file), std::move(left));
}

Result<RunJournal::Entries> RunJournal::peek(FileSystem& fs, const Path& path) {
    if (!fs.exists(path)) return Entries{};
    TRY_ASSIGN(const std::string text, read_file(fs, path, kMaxBytes));
    return parse(text, path);
}

std::optional<std::string> RunJournal::left(std::string_view key) const {
    const auto found = std::find_if(left_.rbegin(), left_.rend(), [&](const auto& one) { return one.first == key; });
    return found == left_.rend() ? std::nullopt : std::optional(found->second);
}

Status RunJournal::start() {
    left_.clear();
    TRY(file_->truncate(0));
    return file_->append(kHeader);
}

Status RunJournal::go_on() { return file_->truncate(file_->content().rfind('\n') + 1); }

Status RunJournal::say(std::string_view key, std::string_view value) {
    CHECK(key.find_first_of(" \n") == key.npos && value.find(kLineEnd) == value.npos);
    std::string line(value);
    std::ranges::replace(line, '\n', kLineEnd);
    return file_->append(format("{} {}\n", key, line));
}

Status RunJournal::finish() { return file_->remove(); }

}  // namespace base
