// What git says of a file's content: its SHA-1, of a Git LFS file that of its pointer.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt {

// What git puts before a file of `bytes` bytes when it works out the SHA-1.
std::string git_blob_header(std::uint64_t bytes);

// The SHA-1 of the pointer that Git LFS stores for a file: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
std::string lfs_pointer_sha1(const std::string& sha256, std::uint64_t bytes);

}  // namespace ckpt
