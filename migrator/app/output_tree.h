// OutputTree: the migrated copy while it grows: everything goes to OUT.partial, which becomes OUT at the end.
//
// OUT.partial holds the file ".migrator_incomplete" until then: a copy of a killed run never looks whole, and the next
// run knows that it may replace it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "migrator/app/options.h"
#include "migrator/source/discovery.h"

namespace migrator {

class OutputTree {
public:
    // Fails with usage when OUT.partial is there and is not the left-over of a killed run.
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

    base::Status commit();

private:
    OutputTree(base::FileSystem& fs, base::Path output, bool replace);
    base::Status make_parent(const base::Path& path);

    base::FileSystem& fs_;
    base::Path output_;
    base::Path partial_;
    bool replace_;
    bool committed_ = false;
    std::map<base::Path, base::FileInfo> directories_;  // by path, and so parents first
    std::mutex making_;
    std::set<base::Path> made_;
};

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
