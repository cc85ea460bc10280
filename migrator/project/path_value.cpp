#include "migrator/project/path_value.h"

namespace migrator {
namespace {

constexpr std::string_view kOpenEnds("\x01*?[", 4);  // holes and wildcards

bool starts_anew(const PathValue& path) {
    return path.starts_with('/') || path.starts_with('~') || path.starts_with(kProjectRoot);
}

}  // namespace

PathValue path_of_project(const base::Path& path) { return base::join(PathValue{kProjectRoot}, path); }

PathValue joined_paths(const PathValue& directory, const PathValue& name) {
    if (starts_anew(name) || directory.empty()) return name;
    if (name.empty()) return directory;
    PathValue out = base::join(directory, name);
    return out.size() > kLongestPath ? unknown_path() : out;
}

PathValue parent_path(const PathValue& path) {
    const std::string_view name = base::file_name(path);
    // What is not known may be more than one name.
    if (name.find(kUnknown) != name.npos) return path;
    if (path.empty() || name == ".." || name == "." || name[0] == kProjectRoot) return joined_paths(path, "..");
    return base::directory_below(path);
}

PathValue known_text(std::string_view text) {
    for (const char c : text) {
        if (c == kUnknown || c == kProjectRoot || c == '\0') return unknown_path();
    }
    return text.size() > kLongestPath ? unknown_path() : PathValue(text);
}

std::optional<NamedPath> named_path(const PathValue& value, bool is_opened) {
    std::string_view text = value;
    const bool is_elsewhere = text.starts_with('/') || text.starts_with('~') || text.find("://") != text.npos;
    if (is_elsewhere) return std::nullopt;
    NamedPath out;
    out.is_opened = is_opened;
    if (text.starts_with(kProjectRoot)) {
        out.from = NamedPath::From::root;
        text.remove_prefix(1);
        if (text.starts_with('/')) text.remove_prefix(1);
    }
    const std::size_t open = std::min(text.find_first_of(kOpenEnds), text.size());
    if (open < text.size()) {
        const std::size_t slash = text.rfind('/', open);
        const bool has_beginning = slash != text.npos && slash < open;
        if (has_beginning) {
            text = text.substr(0, slash);
        } else {
            const std::size_t last = text.find_last_of(kOpenEnds);
            const std::size_t behind = text.find('/', last);
            const bool is_first_unknown = out.from == NamedPath::From::start && text[open] == kUnknown;
            if (behind == text.npos || !is_first_unknown) return std::nullopt;
            out.from = NamedPath::From::unknown;
            text = text.substr(behind + 1);
        }
    }
    out.path = base::normal_path(PathValue(text));
    if (out.path == "." || out.path == "..") return std::nullopt;
    return out;
}

}  // namespace migrator
