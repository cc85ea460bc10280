// Small helpers for text.
#pragma once

#include <cstddef>
#include <string_view>

namespace base {

inline constexpr std::string_view kBlanks = " \t";  // inside a line

// `text` without the characters of `blanks` at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
    std::size_t begin = text.find_first_not_of(blanks);
    return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace base
