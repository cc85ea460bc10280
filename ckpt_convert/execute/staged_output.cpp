#include "ckpt_convert/execute/staged_output.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/parallel.h"
#include "base/random.h"

namespace ckpt {
namespace {

using base::RunJournal;

constexpr std::string_view kStagingPrefix = ".unfinished-";
// Words of the journal.
constexpr std::string_view kStaging = "staging";        // the name of the directory
constexpr std::string_view kConversion = "conversion";  // the number of the conversion
constexpr std::string_view kFinished = "finished";      // a file that has all its bytes
constexpr std::string_view kPublishing = "publishing";  // all files are complete, and these entries move up

// What a run that died has left, by its journal.
struct Remains {
    std::string staging;  // empty: nothing
    std::string conversion;
    std::map<std::string, FinishedFile> finished;  // by path
    bool is_publishing = false;
    std::vector<base::PublishedEntry> published;

    bool holds(const std::string& name) const {
        return name == kRunJournal || (!staging.empty() && name == staging) ||
               std::any_of(published.begin(), published.end(), [&](const auto& entry) { return entry.name == name; });
    }
};

Result<Remains> remains_of(const RunJournal::Entries& left, const Path& journal) {
    Remains out;
    for (const auto& [key, value] : left) {
        if (key == kStaging && value.starts_with(kStagingPrefix) && value.find('/') == value.npos) out.staging = value;
        if (key == kConversion) out.conversion = value;
        if (key == kFinished) {
            TRY_ASSIGN(FinishedFile finished, finished_of_line(value, journal));
            out.finished.insert_or_assign(finished.file.path, finished);
        }
        if (key != kPublishing) continue;
        out.is_publishing = true;
        TRY_ASSIGN(out.published, base::entries_of_line(value, journal));
    }
    return out;
}

Result<Remains> peek_remains(base::FileSystem& fs, const Path& directory) {
    const Path journal = base::join(directory, kRunJournal);
    TRY_ASSIGN(const auto left, RunJournal::peek(fs, journal));
    return remains_of(left, journal);
}

Status not_empty(const Path& directory) {
    return base::fail(ErrorKind::usage, "the output directory is not empty; name a new one, or empty it first",
                      directory);
}

Status require_directory(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(auto info, fs.info(directory));
    if (info.kind == FileKind::directory) return {};
    return base::fail(ErrorKind::usage, "the output must be a directory, but this is a file", directory);
}

// Nothing but what the remains name.
Status require_only(base::FileSystem& fs, const Path& directory, const Remains& remains) {
    TRY_ASSIGN(auto entries, fs.list(directory));
    bool is_free =
        std::all_of(entries.begin(), entries.end(), [&](const auto& entry) { return remains.holds(entry.name); });
    if (is_free) return {};
    const bool has_shards =
        std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.name == kShardStaging; });
    if (!has_shards) return not_empty(directory);
    return base::fail(ErrorKind::usage,
                      base::format("workers (--shard) write here; publish their output with ckpt_convert commit, or "
                                   "remove {}",
                                   base::join(directory, kShardStaging)),
                      directory);
}

tl::unexpected<base::Error> of_another_conversion(const Path& directory) {
    return base::fail(ErrorKind::usage,
                      "what a run left here belongs to another conversion: other options, another input, or another "
                      "version of this program; repeat its command, or leave out --resume to start again",
                      directory);
}

}  // namespace

Status require_free_directory(base::FileSystem& fs, const Path& directory) {
    if (!fs.exists(directory)) return {};
    TRY(require_directory(fs, directory));
    TRY_ASSIGN(const Remains remains, peek_remains(fs, directory));
    return require_only(fs, directory, remains);
}

Status require_shards_only(base::FileSystem& fs, const Path& directory) {
    if (!fs.exists(directory)) return {};
    TRY(require_directory(fs, directory));
    TRY_ASSIGN(const auto entries, base::list_if_there(fs, directory));
    const bool has_shards =
        std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.name == kShardStaging; });
    // Beside the shards, what a worker that died has published.
    return entries.empty() || has_shards ? Status{} : not_empty(directory);
}

Result<StagedOutput> StagedOutput::begin(base::FileSystem& fs, const Path& directory, const std::string& conversion,
                                         Unfinished unfinished) {
    TRY_ASSIGN(auto made, base::NewDirectories::make(fs, directory));
    const Path journal_path = base::join(directory, kRunJournal);
    TRY_ASSIGN(RunJournal journal, RunJournal::open(fs, journal_path));
    TRY_ASSIGN(const Remains remains, remains_of(journal.left(), journal_path));
    if (auto only = require_only(fs, directory, remains); !only) {
        if (journal.left().empty()) static_cast<void>(journal.finish().has_value());
        return tl::unexpected<base::Error>(only.error());
    }
    const bool is_same = !remains.staging.empty() && remains.conversion == conversion;
    // A run that died before it had said of which conversion it is has written nothing.
    if (unfinished == Unfinished::kept && !remains.conversion.empty() && !is_same)
        return of_another_conversion(directory);
    StagedOutput output(fs, directory, base::join(directory, remains.staging), std::move(made));
    output.journal_ = std::move(journal);
    output.published_ = remains.published;
    output.unfinished_ = unfinished;
    if (remains.is_publishing && is_same) {
        output.complete_ = true;
        output.notes_.push_back("a run that died had written all files; they are published now");
        return output;
    }
    if (unfinished == Unfinished::kept && is_same && fs.exists(output.staging_)) {
        TRY(output.journal_->go_on());
        for (auto& [path, finished] : remains.finished) output.kept_.push_back(finished);
        return output;
    }
    if (!remains.staging.empty()) {
        TRY(output.remove_files());
        output.notes_.push_back(base::format("removed {}, which a run that died has left", output.staging_));
    }
    TRY_ASSIGN(const std::string digits, base::random_digits());
    const std::string name = std::string(kStagingPrefix) + digits;
    TRY(output.journal_->start());
    TRY(output.journal_->say(kStaging, name));
    TRY(output.journal_->say(kConversion, conversion));
    output.staging_ = base::join(directory, name);
    TRY(fs.make_directory(output.staging_));
    return output;
}

Result<StagedOutput> StagedOutput::begin_part(base::FileSystem& fs, const Path& directory, const std::string& part) {
    Path staging = base::join(directory, part);
    TRY_ASSIGN(auto made, base::NewDirectories::make(fs, staging));
    return StagedOutput(fs, directory, std::move(staging), std::move(made));
}

StagedOutput::StagedOutput(StagedOutput&& other) noexcept
    : fs_(other.fs_),
      directory_(std::move(other.directory_)),
      staging_(std::move(other.staging_)),
      made_(std::move(other.made_)),
      open_(std::exchange(other.open_, false)),
      complete_(other.complete_),
      journal_(std::move(other.journal_)),
      unfinished_(other.unfinished_),
      kept_(std::move(other.kept_)),
      notes_(std::move(other.notes_)),
      finishing_(std::move(other.finishing_)),
      written_(std::move(other.written_)),
      published_(std::move(other.published_)) {}

// Best effort: the error that brought us here is the one to report. The journal goes last: while anything is left, it tells the
// next run of it.
StagedOutput::~StagedOutput() {
    if (!open_) return;
    if (unfinished_ == Unfinished::kept && !kept_.empty()) {
        // Files that move up are all complete, and the next run goes on with that.
        if (published_.empty()) static_cast<void>(remove_others(*fs_, staging_, kept_paths()).has_value());
        made_.keep();
    } else if (remove_files() && journal_) {
        static_cast<void>(journal_->finish().has_value());
    }
}

void StagedOutput::keep() {
    open_ = false;
    made_.keep();
}

std::vector<std::string> StagedOutput::kept_paths() const {
    std::vector<std::string> out;
    for (const FinishedFile& finished : kept_) out.push_back(finished.file.path);
    std::sort(out.begin(), out.end());
    return out;
}

Result<std::vector<FinishedFile>> StagedOutput::reuse(int threads,
                                                      const std::function<void(std::uint64_t bytes)>& progress) {
    // Until all are looked at, an interruption leaves them as they are.
    std::vector<char> whole(kept_.size());  // not of bool: threads write side by side
    TRY(base::parallel_for(kept_.size(), threads, [&](std::size_t i) -> Status {
        TRY_ASSIGN(whole[i], is_whole(*fs_, staging_, kept_[i].file, progress));
        return {};
    }));
    std::vector<FinishedFile> proven;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        if (!whole[i]) continue;
        TRY_ASSIGN(const base::FileInfo info, fs_->link_info(base::join(staging_, kept_[i].file.path)));
        written_.push_back({kept_[i].file.path, info});
        proven.push_back(kept_[i]);
    }
    kept_ = std::move(proven);
    TRY(remove_others(*fs_, staging_, kept_paths()));
    return kept_;
}

Status StagedOutput::remove_files() {
    TRY(base::take_back(*fs_, directory_, published_));
    published_.clear();
    return base::remove_tree(*fs_, staging_);
}

Result<std::unique_ptr<base::WritableFile>> StagedOutput::create(const std::string& relative) {
    if (!fs_->exists(staging_))
        return base::fail(ErrorKind::write_failed,
                          "is gone: another run has published this output, or somebody removed it", staging_);
    const Path path = base::join(staging_, relative);
    TRY(fs_->make_directories(base::parent(path)));
    return fs_->create(path);
}

Status StagedOutput::finish(const std::string& relative, base::WritableFile& file) {
    TRY(file.sync());
    TRY_ASSIGN(const base::FileInfo info, file.info());
    TRY(file.close());
    std::lock_guard lock(*finishing_);
    written_.push_back({relative, info});
    return {};
}

Status StagedOutput::finish(FinishedFile finished, base::WritableFile& file) {
    TRY(finish(finished.file.path, file));
    if (!journal_) return {};
    std::lock_guard lock(*finishing_);
    TRY(journal_->say(kFinished, to_line(finished)));
    kept_.push_back(std::move(finished));
    return {};
}

Status StagedOutput::write(const std::string& relative, std::string_view content) {
    TRY_ASSIGN(auto file, create(relative));
    TRY(file->write_at(0, base::as_bytes(content)));
    return finish(relative, *file);
}

Status StagedOutput::commit(const std::vector<std::string>& last, const std::vector<base::PlannedFile>& planned) {
    if (!complete_) {
        TRY(base::check_files(*fs_, staging_, written_, planned));
        TRY_ASSIGN(published_, base::entries_to_publish(*fs_, staging_, last));
        TRY(journal_->say(kPublishing, to_line(published_)));
    }
    TRY(publish(*fs_, staging_, directory_, published_, last));
    TRY(base::check_files(*fs_, directory_, written_, planned));
    keep();
    // The output is whole. What cannot be removed now, the next run removes.
    if (base::remove_tree(*fs_, staging_)) static_cast<void>(journal_->finish().has_value());
    return {};
}

}  // namespace ckpt
