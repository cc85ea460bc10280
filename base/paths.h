// Path: a name of a file as a byte string with '/' separators, exactly as the operating system has it. No disk is asked.
#pragma once

#include <string>
#include <string_view>

namespace base {

using Path = std::string;

// "a/b" + "c" -> "a/b/c"; an empty first part gives the second.
Path join(std::string_view directory, std::string_view name);
// "a/b.py" -> "b.py"; trailing slashes are ignored.
std::string_view file_name(std::string_view path);
// "a/b.py" -> "a"; "b.py" -> ".".
Path parent(std::string_view path);
// The same below some root, which is empty: "b.py" -> "".
Path directory_below(std::string_view path);
// "a//b/./c/../d" -> "a/b/d"; "." for the current directory.
Path normal_path(const Path& path);
// Relative, and its own normal form without "..": the only way to write a path that stays below its root.
bool stays_below(const Path& path);
// True when `inner` is `outer` or lies in it, as far as the names tell.
bool lexically_inside(const Path& inner, const Path& outer);

}  // namespace base
