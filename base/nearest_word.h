// did_you_mean: the word of a list that a mistyped one was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace base {

// Empty when none is near enough.
std::string_view nearest_word(std::string_view word, std::span<const std::string> known);

// Whether a word is a slip of another: one or two characters, and not so short that much is the same by chance.
bool is_mistyped(std::string_view word, std::string_view meant);

// "; did you mean \"exclude\"?" when a word is near enough, else "".
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

// "; did you mean \"exclude\"?", else "; there are a, b, c".
std::string did_you_mean_or_all(std::string_view word, std::span<const std::string> known);

}  // namespace base
