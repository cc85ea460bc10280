// Git LFS pointers: small text files that stand in a clone for the large ones that were not fetched.
#pragma once

#include <cstdint>
#include <string_view>

#include "ckpt_convert/base_names.h"

namespace ckpt {

inline constexpr std::uint64_t kMaxLfsPointerBytes = 1024;

// Of the content the start is enough, as below.
inline bool is_lfs_pointer(std::string_view content) { return content.starts_with("version https://git-lfs"); }

// Fails when `content` is a pointer.
inline Status refuse_lfs_pointer(std::string_view content, const Path& path) {
    if (!is_lfs_pointer(content)) return {};
    return base::fail(ErrorKind::bad_input,
                      "this is a Git LFS pointer, not the file it stands for; run \"git lfs pull\"", path);
}

}  // namespace ckpt
