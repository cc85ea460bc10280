#include "base/paths.h"

#include <algorithm>
#include <vector>

namespace base {

Path join(std::string_view directory, std::string_view name) {
    if (directory.empty()) return Path(name);
    Path out(directory);
    if (out.back() != '/') out += '/';
    out += name;
    return out;
}

std::string_view file_name(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos || path == "/" ? path : path.substr(slash + 1);
}

Path parent(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return ".";
    return slash == 0 ? "/" : Path(path.substr(0, slash));
}

Path directory_below(std::string_view path) {
    Path directory = parent(path);
    return directory == "." ? Path{} : directory;
}

Path normal_path(const Path& path) {
    std::vector<std::string_view> parts;
    bool absolute = path.starts_with("/");
    for (std::size_t at = 0; at < path.size();) {
        std::size_t slash = std::min(path.find('/', at), path.size());
        std::string_view part = std::string_view(path).substr(at, slash - at);
        at = slash + 1;
        if (part.empty() || part == ".") continue;
        if (part != ".." || parts.empty() || parts.back() == "..") {
            if (part != ".." || !absolute) parts.push_back(part);
        } else {
            parts.pop_back();
        }
    }
    Path out = absolute ? "/" : "";
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : "/") + std::string(parts[i]);
    return out.empty() ? "." : out;
}

bool stays_below(const Path& path) {
    return !path.empty() && path != "." && !path.starts_with("/") && path != ".." && !path.starts_with("../") &&
           path.find('\0') == Path::npos && normal_path(path) == path;
}

bool lexically_inside(const Path& inner, const Path& outer) {
    Path in = normal_path(inner);
    Path out = normal_path(outer);
    if (in == out) return true;
    if (out == ".") return !in.starts_with("/") && in != ".." && !in.starts_with("../");
    return in.starts_with(out == "/" ? out : out + "/");
}

}  // namespace base
