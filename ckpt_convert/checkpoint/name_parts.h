// Parts at the beginning of a file's name, taken away one after the other.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ckpt {

// Whether the text began with it.
inline bool skip_word(std::string_view& text, std::string_view front) {
    if (!text.starts_with(front)) return false;
    text.remove_prefix(front.size());
    return true;
}

inline std::optional<std::uint64_t> skip_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

}  // namespace ckpt
