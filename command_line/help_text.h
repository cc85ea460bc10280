// What --help and --help-all print.
#pragma once

#include "command_line/command_page.h"

namespace command_line {

enum class HelpDetail { usual, all };

std::string help_text(const CommandPage& page, HelpDetail detail);

}  // namespace command_line
