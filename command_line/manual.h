// The pages of a program as a manual: for `man`, and for the documents.
#pragma once

#include "command_line/command_page.h"

namespace command_line {

// In troff, as `man` reads it. `version`: of the program.
std::string man_page(const CommandPage& page, std::string_view version);

// In Markdown: a chapter for each command, with tables of its options.
std::string reference_page(const CommandPage& page);

}  // namespace command_line
