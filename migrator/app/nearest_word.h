// did_you_mean: the word of a list that a mistyped one was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace migrator {

// "; did you mean \"exclude\"?" when a word is near enough, else "; there are a, b, c".
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace migrator
