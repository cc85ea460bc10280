// The index of a git clone: the SHA-1 of every file as it was checked out, of a Git LFS file that of its pointer.
//
//   "DIRC", version, count | entries: stat data, SHA-1, flags, path | ... | SHA-1 of everything before
//
// https://git-scm.com/docs/index-format
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ckpt {

// Path in the work tree -> 40 hexadecimal digits. Empty for what is no index of version 2 or 3 with SHA-1.
std::map<std::string, std::string> read_git_index(std::string_view index);

// What git puts before a file of `bytes` bytes when it works out the SHA-1.
std::string git_blob_header(std::uint64_t bytes);

// The SHA-1 of the pointer that Git LFS stores for a file: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
std::string lfs_pointer_sha1(const std::string& sha256, std::uint64_t bytes);

}  // namespace ckpt
