// Numbers of machines in text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace base {

// The number that the whole text is, as std::from_chars reads it: without blanks and without a "+"; nullopt: it is none, or one that
// `Number` does not hold.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number out{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

}  // namespace base
