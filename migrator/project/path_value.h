// Values of expressions that make paths: text, in which holes stand for what is not known. Private to this folder.
//
//   os.path.join(root, "data", name)       {}/data/{}
//   Path(__file__).parent / "vocab.txt"    ^/src/vocab.txt     ^: the root of the project
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrator/source/named_path.h"

namespace migrator {

using PathValue = std::string;

inline constexpr char kUnknown = '\x01';
inline constexpr char kProjectRoot = '\x02';
inline constexpr std::size_t kLongestPath = 1024;  // no longer one is followed

inline PathValue unknown_path() { return {kUnknown}; }
// Of a file or directory of the project; empty: its root.
PathValue path_of_project(const base::Path& path);
// As os.path.join does it.
PathValue joined_paths(const PathValue& directory, const PathValue& name);
PathValue parent_path(const PathValue& path);
// A text as a part of a value: nothing in it stands for anything else.
PathValue known_text(std::string_view text);

// What a value names: the whole of it, what stands in front of the first hole or wildcard as a directory, or what stands behind a
// beginning that is not known. nullopt: nothing, something outside the project, or the project itself.
std::optional<NamedPath> named_path(const PathValue& value, bool is_opened);

}  // namespace migrator
