// FileSet: files that belong together, which appear in a directory when all of them are complete.
//
//   DIR/.unfinished-3f2a.../         the files until then
//   DIR/.files.run                   the journal of the run that writes them (base/run_journal.h): one at a time
//
// A directory that is not there yet takes its place with one rename:
//
//   .DIR.unfinished-3f2a.../         the directory until all files are complete
//   .DIR.files.run                   the journal
//
// What a run that died has left goes when the next one begins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/new_directories.h"
#include "base/publication.h"
#include "base/run_journal.h"
#include "base/text_sink.h"

namespace base {

class FileSet {
public:
    enum class Place {
        empty,      // a directory that is new or empty
        new_names,  // nothing has the name of a file
        any,        // files of the names are replaced
    };
    // Fails with usage when another run writes there, and where the place is not as it must be.
    static Result<FileSet> begin(FileSystem& fs, const Path& directory, Place place);
    // Whether the directory is new or empty, but for what a run that died has left. Where that one had done its work, its journal goes.
    static Result<bool> is_free(FileSystem& fs, const Path& directory);
    FileSet(FileSet&& other) noexcept;
    FileSet& operator=(FileSet&&) = delete;
    ~FileSet();  // what was not kept goes again, but for files that took the place of others

    // `path`: relative to the directory. `mode`: less the umask.
    Status add(std::string_view path, const TextSource& text, std::uint32_t mode = 0666);
    Status add(std::string_view path, std::string_view text, std::uint32_t mode = 0666);

    // Publishes the files, which stay.
    Status commit();
    // Something else that the same run publishes, by renaming it.
    struct Other {
        Path from, to;
    };
    // Publishes them before something else is done, after which they are to be kept: a run that dies in between has not done
    // its work, and its files go when the next one begins. With `other` its work is done when that is in its place.
    Status publish(const std::optional<Other>& other = {});
    void keep();

private:
    FileSet(FileSystem& fs, Path directory, Place place, bool is_beside, NewDirectories made, RunJournal journal);

    Status clean_up_after_others();
    Status require_free();
    Status make_staging();
    Status move_up();
    Status move_files();
    Status take_back();

    FileSystem* fs_;
    Path directory_;
    Place place_;
    bool is_beside_;                    // the directory is new
    std::vector<NewDirectories> made_;  // the outermost first
    RunJournal journal_;
    Path staging_;
    bool open_ = true;
    std::vector<WrittenFile> written_;
    std::vector<PublishedEntry> published_;  // since they began to move
};

}  // namespace base
