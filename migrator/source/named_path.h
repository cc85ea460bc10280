// NamedPath: a file or directory that a file of the project names, as far as its path is known.
#pragma once

#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "migrator/source/source_file.h"

namespace migrator {

struct NamedPath {
    // What it counts from: the directory that the program is started in, the project's root, or one that is not known.
    enum class From { start, root, unknown };

    base::Path path;
    From from = From::start;
    bool is_opened = false;  // read or listed, not only named
    auto operator<=>(const NamedPath&) const = default;
};

struct PathsOfFile {
    std::set<NamedPath> named;
    std::set<base::Path> written;  // and not read
};

// `file` counts from the project's root, `text` is what it holds.
using PathReader = std::function<PathsOfFile(const base::Path& file, FileType type, const std::string& text)>;

}  // namespace migrator
