#include "base/new_directories.h"

#include <utility>

namespace base {

Result<NewDirectories> NewDirectories::make(FileSystem& fs, const Path& directory) {
    NewDirectories out(fs);
    for (Path at = directory; at != "." && at != "/" && !fs.exists(at); at = parent(at)) out.made_.push_back(at);
    TRY(fs.make_directories(directory));
    return out;
}

NewDirectories::NewDirectories(NewDirectories&& other) noexcept
    : fs_(other.fs_), made_(std::exchange(other.made_, {})) {}

NewDirectories::~NewDirectories() {
    for (const Path& path : made_) {
        // Another process may remove it first.
        if (!fs_->remove(path) && fs_->exists(path)) return;
    }
}

}  // namespace base
