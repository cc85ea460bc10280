// The language of what is printed for people: --lang, or the locale.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/language.h"

namespace command_line {

// The first is that of the sources.
inline constexpr std::array<std::string_view, 2> kLanguages{"en", "zh"};

// What LC_ALL, LC_MESSAGES and LANG ask for, in this order: "zh" or "en".
std::string_view language_of_locale();

// Takes --lang out of the words, wherever it stands, so that nothing else, and no report, depends on it. Fails with usage;
// `language` is that of the locale then.
base::Result<std::vector<const char*>> take_language(int argc, const char* const* argv, base::Language& language);

}  // namespace command_line
