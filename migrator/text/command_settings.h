// What the words of a command say: variables that it is given, options and their values. Private to this folder.
#pragma once

#include <string_view>
#include <vector>

#include "migrator/text/text_contents.h"

namespace migrator {

// NAME=value in front, for NAME in a b, [ $NAME = value ], --option value, --option=value, key.name=value.
void add_command(std::vector<std::string_view> words, TextContents& out);
// NAME=(a b)
void add_list(std::string_view name, const std::vector<std::string_view>& words, TextContents& out);
// A value that a variable is compared with: `variable` as a script writes it, "$NAME".
void add_comparison(std::string_view variable, std::string_view value, TextContents& out);
// A text that is written to the file of this name.
void read_document(std::string_view body, std::string_view file, TextContents& out);

// Whether a command with this first word runs Python.
bool is_python(std::string_view program);

// The name in "$NAME" or "${NAME...}"; empty for anything else.
std::string_view variable_in(std::string_view word);

}  // namespace migrator
