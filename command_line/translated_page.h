// Help in another language.
#pragma once

#include <string>
#include <vector>

#include "base/language.h"
#include "command_line/command_page.h"

namespace command_line {

// The page and those of its commands. Names, values and commands stay.
CommandPage translated(CommandPage page, const base::Language& language);

// All texts that a translation of the page has to know, each once: descriptions, titles, paragraphs, and what stands after
// examples.
std::vector<std::string> texts_of(const CommandPage& page);

}  // namespace command_line
