// shell_word: a word of a command that a person copies, so that a shell reads exactly these bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

// As it is where no shell reads it otherwise; else in single quotes, and as $'...' where a byte of it may not be shown (see
// printable.h). So it is one line, printable as it stands, and without a NUL byte any text has one.
std::string shell_word(std::string_view text);

// The same of a path, which must not be taken for an option: "-x" is "./-x".
std::string shell_path(std::string_view path);

// Of several, with blanks between.
std::string shell_paths(const std::vector<std::string>& paths);

}  // namespace base
