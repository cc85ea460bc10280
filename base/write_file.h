// Files that appear whole: written under a name of their own beside the place where they go, then renamed.
//
//   .NAME.0123456789abcdef.unfinished     new, never through a link, and locked while its writer lives
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/text_sink.h"

namespace base {

// A reader sees the old file, or the whole new one. A link of the name PATH is replaced, not followed. `mode`: less the umask. What
// runs that died have left of it goes.
Status write_file(FileSystem& fs, const Path& path, std::string_view content, std::uint32_t mode = 0666);
Status write_file(FileSystem& fs, const Path& path, const TextSource& text, std::uint32_t mode = 0666);

// The permissions of a file that is written: of a new one less the umask, of one that takes another's place exactly these.
struct FileMode {
    std::uint32_t bits = 0666;
    bool exactly = false;
};

// The same for many files that belong together: what a run that died has left of them is known by the `token`, which are
// random_digits(). `check` is asked when all is written, right before the file takes its place, and may still refuse.
Status write_file_of(FileSystem& fs, const Path& path, std::string_view content, FileMode mode,
                     const std::string& token, const std::function<Status()>& check = nullptr);
// Removes what such a run has left beside PATH.
Status remove_unfinished_of(FileSystem& fs, const Path& path, const std::string& token);

// Removes what runs that died have left of the file, whatever their token.
Status remove_unfinished(FileSystem& fs, const Path& path);

// The whole text, from the start of the file.
Status write_text(WritableFile& file, const TextSource& text);
TextSource whole_text(std::string_view text);  // which stays where it is

}  // namespace base
