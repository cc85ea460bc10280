#include "base/missing_path.h"

#include "base/format.h"
#include "base/nearest_word.h"

namespace base {

Error missing_path(FileSystem& fs, const Path& path) {
    // The first part that is not there is the one that was mistyped.
    Path missing = normal_path(path);
    while (parent(missing) != missing && !fs.exists(parent(missing)) && parent(missing) != ".")
        missing = parent(missing);
    const Path directory = parent(missing);
    std::vector<std::string> names;
    if (const auto entries = fs.list(directory)) {
        for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    }
    std::string says = "there is no such file or directory";
    if (const std::string_view meant = nearest_word(file_name(missing), names); !meant.empty())
        says += format("; did you mean \"{}\"?", directory == "." ? Path(meant) : join(directory, meant));
    return {ErrorKind::bad_input, says, path, {}};
}

}  // namespace base
