// Text for a terminal, broken into lines. A wide character takes two columns, and a line can end next to it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// Columns that the text takes.
std::size_t columns_of(std::string_view text);

// Lines that start with `indent` blanks and end before column `columns`; the first line goes on where the caller is. It is
// broken at blanks, and next to wide characters, but no line begins with a mark that closes.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns);

}  // namespace base
