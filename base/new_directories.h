// NewDirectories: a directory and what there is not yet above it; what was made goes again unless it is kept.
#pragma once

#include <vector>

#include "base/file_system.h"

namespace base {

class NewDirectories {
public:
    static Result<NewDirectories> make(FileSystem& fs, const Path& directory);
    NewDirectories(NewDirectories&& other) noexcept;
    NewDirectories& operator=(NewDirectories&&) = delete;
    ~NewDirectories();  // removes those that are empty

    void keep() { made_.clear(); }

private:
    explicit NewDirectories(FileSystem& fs) : fs_(&fs) {}

    FileSystem* fs_;
    std::vector<Path> made_;  // the innermost first
};

}  // namespace base
