// printable: text from outside as it may be shown: on one line, and nothing in it commands a terminal or hides.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/format.h"

namespace base {

// Bytes of the character at the start of `text`, which is not empty, and whether it may be shown as it is. Not shown are
// control characters (C0, DEL, C1), marks that turn the direction of writing, characters without width, separators of
// lines and paragraphs, and bytes that are no UTF-8, which are characters of one byte here.
struct Shown {
    std::size_t bytes = 1;
    bool as_it_is = false;
};
Shown shown_character(std::string_view text);

// One line: what is not shown becomes \xHH (a byte), \uHHHH or \UHHHHHHHH (a character beyond ASCII). A backslash in
// front of 'x', 'u' or 'U' becomes \x5c, so that the text can be had back.
std::string printable(std::string_view text);

// The same of code and of what is put together from printable parts: '\n', "\r\n", '\t' and every backslash stay.
std::string printable_lines(std::string_view text);

namespace detail {

template <typename T>
decltype(auto) printable_argument(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) return printable(value);
    else return (value);
}

}  // namespace detail

// format, for people: every argument that is text is printable.
template <typename... Args>
std::string show(fmt::format_string<Args...> pattern, const Args&... args) {
    const auto formatted = [&](const auto&... shown) {
        return format_erased(pattern, fmt::make_format_args(shown...));
    };
    return formatted(detail::printable_argument(args)...);
}

}  // namespace base
