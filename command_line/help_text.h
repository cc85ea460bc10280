// What --help and --help-all print.
#pragma once

#include "base/language.h"
#include "command_line/command_page.h"

namespace command_line {

enum class HelpDetail { usual, all };

// `page`: as it is in the language.
std::string help_text(const CommandPage& page, HelpDetail detail, const base::Language& language = {});

}  // namespace command_line
