// OutputTree: the migrated copy while it grows, in a directory that becomes OUT at the end.
//
//   .OUT.migrator.run         the journal of the run that writes it (base/run_journal.h): one at a time
//   OUT.unfinished-3f2a...    the copy until it is whole
//   OUT.previous-3f2a...      with --force the older copy, while the new one takes its name
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file_set.h"
#include "base/file_system.h"
#include "base/new_directories.h"
#include "base/run_journal.h"
#include "migrator/app/options.h"
#include "migrator/source/discovery.h"

namespace migrator {

class OutputTree {
public:
    // What a run that died has left is cleaned up. Fails with usage when another run writes OUT, or when it is there.
    // `replace`: a directory OUT that is there goes when the new one is whole.
    static base::Result<std::unique_ptr<OutputTree>> create(base::FileSystem& fs, base::Path output,
                                                            bool replace = false);
    ~OutputTree();  // removes what was not committed
    OutputTree(const OutputTree&) = delete;
    OutputTree& operator=(const OutputTree&) = delete;

    // All paths are relative to the project. Thread-safe for different paths.
    // `modified`: empty for a file that is not as it was.
    base::Status write(const base::Path& path, std::string_view bytes, std::uint32_t mode,
                       std::optional<std::int64_t> modified = {});
    base::Status copy(const base::Path& source, const FoundFile& file);
    base::Status link(const base::Path& target, const base::Path& path);
    // It gets mode and time when all is written: it may be one that nothing can be written to.
    base::Status make_directory(const base::Path& path, const base::FileInfo& like);

    // Fails with write_failed when a file is not as it was written.
    base::Status commit();
    // What OUT is from then on.
    base::FileSet::Other to_come() const { return {staging_, output_}; }

    // Whether create() has removed what a run that died had left.
    bool has_cleaned_up() const { return cleaned_up_; }

private:
    OutputTree(base::FileSystem& fs, base::Path output, bool replace, base::NewDirectories above,
               base::RunJournal journal);
    base::Status clean_up_after_others();
    base::Status begin();
    base::Status make_parent(const base::Path& path);
    base::Status finish(const base::Path& path, base::WritableFile& file);
    base::Status check_files();
    base::Status replace_output();

    struct Written {
        base::Path path;
        std::uint64_t inode = 0;
        std::uint64_t bytes = 0;
    };

    base::FileSystem& fs_;
    base::Path output_;
    bool replace_;
    base::NewDirectories above_;
    base::RunJournal journal_;
    std::string token_;  // of the names of this run
    base::Path staging_;
    bool cleaned_up_ = false;
    bool committed_ = false;
    std::map<base::Path, base::FileInfo> directories_;  // by path, and so parents first
    std::mutex making_;
    std::set<base::Path> made_;
    std::vector<Written> written_;
};

// The copy that the options ask for, nullptr for none, when skeletons have a place too. Of both, what a run that died has left goes
// before either is refused.
base::Result<std::unique_ptr<OutputTree>> open_outputs(base::FileSystem& fs, const Options& options);

inline constexpr std::uint64_t kLargeFileBytes = std::uint64_t{1} << 30;  // data sets, checkpoints

// A file, link or directory of the project that is not in the copy, and why.
struct NotCopied {
    base::Path path;
    std::string reason;
};

// Copies everything of the project that is not analysed: other files and directories with modes and times, links as
// links; one that leads out of the project by a relative path becomes absolute. Files of kLargeFileBytes and more are
// treated as `large` says. What cannot be read is left out and told; a failed write fails.
base::Result<std::vector<NotCopied>> copy_the_rest(base::FileSystem& fs, const FileList& files, bool whole_directory,
                                                   LargeFiles large, OutputTree& output);

}  // namespace migrator
