// line_at, next_line: the lines of a text, whatever ends them.
#pragma once

#include <algorithm>
#include <string_view>

namespace base {

// Where the line behind the one that `at` is in begins.
inline std::size_t next_line(std::string_view text, std::size_t at) {
    const std::size_t end = text.find_first_of("\r\n", at);
    if (end == text.npos) return text.size();
    return end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
}

// The line that begins at `at`, without its end.
inline std::string_view line_at(std::string_view text, std::size_t at) {
    return text.substr(at, std::min(text.find_first_of("\r\n", at), text.size()) - at);
}

}  // namespace base
