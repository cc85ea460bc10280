#include "base/file_set.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "base/write_file.h"

namespace base {
namespace {

constexpr std::string_view kJournal = ".files.run";
// Words of the journal.
constexpr std::string_view kStaging = "staging";  // the name of the directory
constexpr std::string_view kHeld = "held";  // files that are published are not kept yet: INODE PATH of what is to come
constexpr std::string_view kPublishing = "publishing";  // all files are complete, and these move up

// Of a directory that is new, the name of what is beside it.
std::string name_beside(const Path& directory, std::string_view ending) {
    return format(".{}{}", file_name(directory), ending);
}

Path journal_of(const Path& directory, bool is_beside) {
    return is_beside ? join(directory_below(directory), name_beside(directory, kJournal)) : join(directory, kJournal);
}

std::string staging_prefix(const Path& directory, bool is_beside) {
    constexpr std::string_view kPrefix = ".unfinished-";
    return is_beside ? name_beside(directory, kPrefix) : std::string(kPrefix);
}

// What a run that died has left, by its journal.
struct Leftover {
    std::string staging;              // empty: nothing
    std::optional<std::string> held;  // INODE PATH, or empty: until what is published
    std::vector<PublishedEntry> published;

    bool holds(const std::string& name) const {
        return name == kJournal || (!staging.empty() && name == staging) ||
               std::any_of(published.begin(), published.end(), [&](const PublishedEntry& entry) {
                   return entry.name == name || entry.name.starts_with(join(name, ""));
               });
    }
};

Result<Leftover> leftover_of(const RunJournal::Entries& left, const Path& directory, bool is_beside) {
    Leftover out;
    for (const auto& [key, value] : left) {
        const bool is_name = value.starts_with(staging_prefix(directory, is_beside)) && value.find('/') == value.npos;
        if (key == kStaging && is_name) out.staging = value;
        if (key == kHeld) out.held = value;
        if (key != kPublishing) continue;
        TRY_ASSIGN(out.published, entries_of_line(value, journal_of(directory, is_beside)));
    }
    return out;
}

// Whether that run had done its work, but for the last step of cleaning up.
Result<bool> is_done(FileSystem& fs, const Path& directory, const Leftover& leftover) {
    if (leftover.published.empty()) return false;
    if (leftover.held) {
        const std::size_t blank = leftover.held->find(' ');
        if (blank == std::string::npos) return false;
        TRY_ASSIGN(const auto now, fs.look(leftover.held->substr(blank + 1)));
        if (!now || std::to_string(now->inode) != leftover.held->substr(0, blank)) return false;
    }
    for (const PublishedEntry& entry : leftover.published) {
        TRY_ASSIGN(const bool is_there, is_published(fs, directory, entry));
        if (!is_there) return false;
    }
    return true;
}

}  // namespace

FileSet::FileSet(FileSystem& fs, Path directory, Place place, bool is_beside, NewDirectories made, RunJournal journal)
    : fs_(&fs), directory_(std::move(directory)), place_(place), is_beside_(is_beside), journal_(std::move(journal)) {
    made_.push_back(std::move(made));
}

FileSet::FileSet(FileSet&& other) noexcept
    : fs_(other.fs_),
      directory_(std::move(other.directory_)),
      place_(other.place_),
      is_beside_(other.is_beside_),
      made_(std::move(other.made_)),
      journal_(std::move(other.journal_)),
      staging_(std::move(other.staging_)),
      open_(std::exchange(other.open_, false)),
      written_(std::move(other.written_)),
      published_(std::move(other.published_)) {}

// Best effort: the error that brought us here is the one to report. The journal goes last: while anything is left, it tells the
// next run of it.
FileSet::~FileSet() {
    if (open_ && take_back()) static_cast<void>(journal_.finish().has_value());
    while (!made_.empty()) made_.pop_back();
}

Result<FileSet> FileSet::begin(FileSystem& fs, const Path& directory, Place place) {
    const bool is_beside = !fs.exists(directory) || fs.exists(journal_of(directory, true));
    TRY_ASSIGN(auto made, NewDirectories::make(fs, is_beside ? parent(directory) : directory));
    TRY_ASSIGN(auto journal, RunJournal::open(fs, journal_of(directory, is_beside)));
    FileSet out(fs, directory, place, is_beside, std::move(made), std::move(journal));
    TRY(out.clean_up_after_others());
    TRY(out.require_free());
    TRY(out.make_staging());
    return out;
}

Result<bool> FileSet::is_free(FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(const auto entries, list_if_there(fs, directory));
    const bool is_beside = fs.exists(journal_of(directory, true));
    TRY_ASSIGN(const auto left, RunJournal::peek(fs, journal_of(directory, is_beside)));
    TRY_ASSIGN(const Leftover leftover, leftover_of(left, directory, is_beside));
    TRY_ASSIGN(const bool is_whole, is_done(fs, directory, leftover));
    if (is_whole) {
        auto journal = RunJournal::open(fs, journal_of(directory, is_beside));
        if (journal) TRY(journal->finish());  // else that run lives
        return false;
    }
    return std::all_of(entries.begin(), entries.end(),
                       [&](const DirectoryEntry& entry) { return leftover.holds(entry.name); });
}

Status FileSet::clean_up_after_others() {
    TRY_ASSIGN(const Leftover leftover, leftover_of(journal_.left(), directory_, is_beside_));
    if (!leftover.staging.empty())
        staging_ = join(is_beside_ ? directory_below(directory_) : directory_, leftover.staging);
    TRY_ASSIGN(const bool is_whole, is_done(*fs_, directory_, leftover));
    if (!is_whole) published_ = leftover.published;
    return take_back();
}

Status FileSet::require_free() {
    if (place_ != Place::empty) return {};
    TRY_ASSIGN(const auto entries, list_if_there(*fs_, directory_));
    if (std::all_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.name == kJournal; }))
        return {};
    return fail(ErrorKind::usage, "the output directory is not empty; name a new one, or empty it first", directory_);
}

Status FileSet::make_staging() {
    TRY_ASSIGN(const std::string digits, random_digits());
    const std::string name = staging_prefix(directory_, is_beside_) + digits;
    TRY(journal_.start());
    TRY(journal_.say(kStaging, name));
    staging_ = join(is_beside_ ? directory_below(directory_) : directory_, name);
    return fs_->make_directory(staging_);
}

Status FileSet::add(std::string_view path, const TextSource& text, std::uint32_t mode) {
    const Path to = join(directory_, path);
    if (place_ == Place::new_names && fs_->exists(to))
        return fail(ErrorKind::usage, "this file exists already; name another one", to);
    const Path staged = join(staging_, path);
    TRY(fs_->make_directories(parent(staged)));
    TRY_ASSIGN(auto file, fs_->create(staged, mode));
    TRY(write_text(*file, text));
    TRY(not_interrupted());
    TRY(file->sync());
    TRY_ASSIGN(const FileInfo info, file->info());
    written_.push_back({Path(path), info});
    return file->close();
}

Status FileSet::add(std::string_view path, std::string_view text, std::uint32_t mode) {
    return add(path, whole_text(text), mode);
}

Status FileSet::commit() {
    TRY(move_up());
    keep();
    return {};
}

Status FileSet::publish(const std::optional<Other>& other) {
    std::string until;
    if (other) {
        TRY_ASSIGN(const FileInfo info, fs_->link_info(other->from));
        until = format("{} {}", info.inode, other->to);
    }
    TRY(journal_.say(kHeld, until));
    return move_up();
}

// What cannot be removed now, the next run removes.
void FileSet::keep() {
    if (!open_) return;
    open_ = false;
    for (NewDirectories& made : made_) made.keep();
    if (remove_tree(*fs_, staging_)) static_cast<void>(journal_.finish().has_value());
}

Status FileSet::move_up() {
    TRY(check_files(*fs_, staging_, written_, {}));
    std::vector<PublishedEntry> entries;
    for (const WrittenFile& file : written_) entries.push_back({file.path, file.info.inode, file.info.modified});
    TRY(journal_.say(kPublishing, to_line(entries)));
    published_ = std::move(entries);
    TRY(fs_->sync_directory(staging_));
    TRY_ASSIGN(const bool is_there, base::is_there(*fs_, directory_));
    if (is_there) TRY(move_files());
    else TRY(fs_->move(staging_, directory_));
    TRY(fs_->sync_directory(is_there ? directory_ : parent(directory_)));
    return check_files(*fs_, directory_, written_, {});
}

Status FileSet::move_files() {
    for (const WrittenFile& file : written_) {
        const Path from = join(staging_, file.path), to = join(directory_, file.path);
        TRY_ASSIGN(auto made, NewDirectories::make(*fs_, parent(to)));
        made_.push_back(std::move(made));
        TRY(place_ == Place::any ? fs_->rename(from, to) : fs_->move(from, to));
    }
    return {};
}

Status FileSet::take_back() {
    if (place_ != Place::any) TRY(base::take_back(*fs_, directory_, published_));
    // Directories that were new; one that holds anything else stays.
    for (const PublishedEntry& entry : published_) {
        for (Path at = directory_below(entry.name); is_beside_ && !at.empty(); at = directory_below(at))
            static_cast<void>(fs_->remove(join(directory_, at)).has_value());
    }
    if (is_beside_ && !published_.empty()) static_cast<void>(fs_->remove(directory_).has_value());
    published_.clear();
    if (!staging_.empty()) TRY(remove_tree(*fs_, staging_));
    staging_.clear();
    return {};
}

}  // namespace base
