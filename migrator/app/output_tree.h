// OutputTree: the migrated copy while it grows: everything goes to OUT.partial, which becomes OUT at the end.
//
// OUT.partial holds the file ".migrator_incomplete" until then: a copy of a killed run never looks whole, and the next
// run knows that it may replace it.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "migrator/source/discovery.h"

namespace migrator {

class OutputTree {
public:
    // Fails with usage when OUT.partial is there and is not the left-over of a killed run.
    static base::Result<std::unique_ptr<OutputTree>> create(base::FileSystem& fs, base::Path output);
    ~OutputTree();  // removes what was not committed
    OutputTree(const OutputTree&) = delete;
    OutputTree& operator=(const OutputTree&) = delete;

    // All paths are relative to the project. Thread-safe for different paths.
    base::Status write(const base::Path& path, std::string_view bytes, std::uint32_t mode);
    base::Status copy(const base::Path& source, const base::Path& path, std::uint32_t mode);
    base::Status link(const base::Path& target, const base::Path& path);
    base::Status make_directory(const base::Path& path);

    base::Status commit();

private:
    OutputTree(base::FileSystem& fs, base::Path output);
    base::Status make_parent(const base::Path& path);

    base::FileSystem& fs_;
    base::Path output_;
    base::Path partial_;
    bool committed_ = false;
    std::mutex making_;
    std::set<base::Path> made_;
};

// A file, link or directory of the project that is not in the copy, and why.
struct NotCopied {
    base::Path path;
    std::string reason;
};

// Copies everything of the project that is not analysed: other files with their modes, links as links, empty
// directories. What cannot be read is left out and told; a failed write fails.
base::Result<std::vector<NotCopied>> copy_the_rest(base::FileSystem& fs, const FileList& files, bool whole_directory,
                                                   OutputTree& output);

}  // namespace migrator
