// GitIndex: what git tracks of a work tree, read from its index without git.
//
//   "DIRC", version, count | entries, sorted by path | extensions | checksum of everything before, or zeros (index.skipHash)
//   entry of version 2, 3:  stat data (40), object (20 or 32), flags (2; 4 when extended), path, NULs up to a multiple of 8
//   entry of version 4:     the same up to the flags, how many bytes of the path before are left away, what follows them, NUL
//   extension:              name (4), size (4), content; "link" of a split index: the hash of the file sharedindex.HASH, which of
//                           its entries are gone, and which are replaced by the first entries here; "sdir": entries can be directories
//
// https://git-scm.com/docs/index-format
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_system.h"
#include "base/git_names.h"

namespace base {

enum class GitHash { sha1, sha256 };

class GitIndex {
public:
    // A directory in the index; nothing in it is tracked when both are empty.
    struct Directory {
        std::array<std::optional<std::uint32_t>, 2> numbers;
    };
    static constexpr Directory kRoot{{GitNames::kRoot, GitNames::kRoot}};

    // Bad input fails: what git would not read. `shared`: the content of the shared index with this hash, of a split index.
    static Result<GitIndex> parse(std::string_view index, GitHash hash,
                                  const std::function<Result<std::string>(const std::string& hash)>& shared);

    bool has_file(const Directory& in, std::string_view name) const;
    bool has_submodule(const Directory& in, std::string_view name) const;
    // Of a sparse index: everything below is tracked, though the index does not say what that is.
    bool has_whole_directory(const Directory& in, std::string_view name) const;
    // nullopt: no path leads through it.
    std::optional<Directory> find(const Directory& in, std::string_view name) const;
    std::optional<Directory> find_path(std::string_view path) const;  // from the root; empty: the root

    // Every file below the directory: its path from there, and the object as hexadecimal digits.
    void for_each_file(const Directory& below,
                       const std::function<void(const Path& path, const std::string& object)>& call) const;

private:
    bool has(const Directory& in, std::string_view name, GitNames::Kind kind) const;

    std::array<GitNames, 2> layers_;  // of the file, and of the shared one
    std::size_t object_bytes_ = 20;
};

// Of the work tree whose root this is. nullopt: there is no repository, or nothing was added to it yet.
Result<std::optional<GitIndex>> read_git_index(FileSystem& fs, const Path& tree);

}  // namespace base
