// read_shell: the commands of a script, of whatever file it is a part. A reader of words, not a parser of programs: it knows
// quotes, substitutions, here-documents and comments, and takes what is no shell for words.
#pragma once

#include <span>
#include <string>

#include "migrator/text/text_contents.h"

namespace migrator {

struct ShellForm {
    std::span<const std::string> directives{};  // comments that somebody reads: "#SBATCH"
    bool is_file = false;              // its lines are the code of the file; else they are that of the file around it
    bool is_recipe = false;            // of make: $(NAME) is a variable of make, $$ a dollar
    bool is_one_line = false;          // ends of lines are blanks
    bool skips_comment_lines = false;  // of a Dockerfile: also between the parts of a line
};

// Adds what the part of `out.text` says.
void read_shell(std::string_view part, const ShellForm& form, TextContents& out);

// A command that is a list of words, as Python and Dockerfiles have it.
void read_words(std::vector<std::string_view> words, TextContents& out);

}  // namespace migrator
