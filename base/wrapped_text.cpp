#include "base/wrapped_text.h"

#include <algorithm>

namespace base {
namespace {

// Bytes of the character that begins with this one.
std::size_t bytes_of(char first) {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// From U+2E80 on, East Asian characters and marks; all take three bytes or more.
bool is_wide(std::string_view character) { return character.size() >= 3 && character >= "\xE2\xBA\x80"; }

bool closes(std::string_view character) {
    constexpr std::string_view kClosing[] = {"。", "，", "、", "；", "：", "）", "！", "？", "》"};
    return std::find(std::begin(kClosing), std::end(kClosing), character) != std::end(kClosing);
}

// The first characters that stay together: a word up to a blank or a wide character, or one wide character.
std::string_view unit_of(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && text[end] != ' ') {
        const std::string_view character = text.substr(end, bytes_of(text[end]));
        const bool joins = closes(character);
        if (end > 0 && !joins && is_wide(character)) break;
        end += character.size();
        if (is_wide(character) && !joins) {
            const std::string_view next = text.substr(end, end < text.size() ? bytes_of(text[end]) : 0);
            if (!closes(next)) break;
        }
    }
    return text.substr(0, end);
}

}  // namespace

std::size_t columns_of(std::string_view text) {
    std::size_t out = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view character = text.substr(at, bytes_of(text[at]));
        out += is_wide(character) ? 2 : 1;
        at += character.size();
    }
    return out;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
    std::string out;
    std::size_t column = indent;
    bool blank = false;
    while (!text.empty()) {
        const std::string_view unit = unit_of(text);
        text.remove_prefix(unit.size());
        const std::size_t width = columns_of(unit);
        if (column > indent && column + (blank ? 1 : 0) + width > columns) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column > indent && blank) {
            out += ' ';
            ++column;
        }
        out += unit;
        column += width;
        blank = text.starts_with(' ');
        if (blank) text.remove_prefix(1);
    }
    return out;
}

}  // namespace base
