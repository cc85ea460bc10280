// read_shell: what the commands of a script say, of whatever file it is a part.
#pragma once

#include <string>

#include "migrator/text/text_contents.h"
#include "shell/shell_words.h"

namespace migrator {

using shell::ShellForm;

// Adds what the part of `out.text` says.
void read_shell(std::string_view part, const ShellForm& form, TextContents& out);

// A command that is a list of words, as Python and Dockerfiles have it.
void read_words(std::vector<std::string_view> words, TextContents& out);

}  // namespace migrator
