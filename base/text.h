// Small helpers for text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace base {

inline constexpr std::string_view kBlanks = " \t";  // inside a line

// `text` without the characters of `blanks` at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
    std::size_t begin = text.find_first_not_of(blanks);
    return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// The parts of `text` between separators, trimmed; empty parts are left out.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        std::size_t end = text.find(separator);
        if (auto part = trimmed(text.substr(0, end)); !part.empty()) out.push_back(part);
        text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    }
    return out;
}

// An ASCII letter, a digit or '_'.
inline bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether the predicate holds for one of the longest runs of such characters.
template <class Predicate>
bool any_word(std::string_view text, const Predicate& predicate) {
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_word_char(text[end])) ++end;
        if (end > at && predicate(text.substr(at, end - at))) return true;
        at = end + 1;
    }
    return false;
}

template <class Range, class Item>
bool contains(const Range& range, const Item& item) {
    return std::find(std::begin(range), std::end(range), item) != std::end(range);
}

}  // namespace base
