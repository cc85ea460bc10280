// Files of text that are not what their name says: Git LFS pointers, pages of a web server, nothing at all, compressed.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/lower_case.h"
#include "ckpt_convert/formats/lfs_pointer.h"

namespace ckpt {

// The start of the content is enough.
inline bool is_web_page(std::string_view content) {
    content.remove_prefix(std::min(content.find_first_not_of(" \t\r\n"), content.size()));
    const std::string start = base::lower_case(content.substr(0, 9));
    return start == "<!doctype" || start.starts_with("<html");
}

inline bool is_gzip(std::string_view content) { return content.starts_with("\x1f\x8b"); }

// Fails when `content` is one of them.
inline Status refuse_broken_download(std::string_view content, const Path& path) {
    TRY(refuse_lfs_pointer(content, path));
    if (is_web_page(content))
        return base::fail(
            ErrorKind::bad_input,
            "this is a web page, not the file itself: the download went to a page about it; download it again", path);
    if (is_gzip(content))
        return base::fail(ErrorKind::bad_input,
                          "this is compressed with gzip, not the file itself; decompress it, or download it again",
                          path);
    if (content.find_first_not_of(" \t\r\n") != content.npos) return {};
    return base::fail(ErrorKind::bad_input, "the file is empty; download it again", path);
}

}  // namespace ckpt
