// read_words: the commands of a shell script, of whatever file it is a part, as words. A reader of words, not a parser of programs:
// it knows quotes, substitutions, here-documents and comments, and takes what is no shell for words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shell {

struct ShellForm {
    std::span<const std::string> directives{};  // comments that somebody reads: "#SBATCH"
    bool is_file = false;              // its lines are the code of the file; else they are that of the file around it
    bool is_recipe = false;            // of make: $(NAME) is a variable of make, $$ a dollar
    bool is_one_line = false;          // ends of lines are blanks
    bool has_whole_words = false;      // also those with substitutions in them, if they stand in no other
    bool skips_comment_lines = false;  // of a Dockerfile: also between the parts of a line
};

// Gets the parts of a script in its order; a command in a substitution before the one that it stands in. Every view is a part of
// the script. `depth`: how many texts a part stands in, a here-document or a command in quotes.
class ShellListener {
public:
    virtual ~ShellListener() = default;
    // Words as they stand there, with quotes and variables, and without redirections.
    virtual void command(std::vector<std::string_view> words, int depth) = 0;
    // NAME=(a b), NAME+=(a b): a line of it at a time. `name` is the text in front of the sign.
    virtual void list(std::string_view /*name*/, std::vector<std::string_view> /*words*/) {}
    // What stands between brackets: in a word the commands of a substitution, else those of a subshell.
    virtual void enter(bool /*is_substitution*/) {}
    virtual void leave() {}
    // A pattern of `case VARIABLE in`, with the variable as the script writes it.
    virtual void comparison(std::string_view /*variable*/, std::string_view /*pattern*/) {}
    // A here-document, and the file that it is written to; empty: none.
    virtual void document(std::string_view /*body*/, std::string_view /*file*/, int /*depth*/) {}
    // A line, or a part of one, without comments, of a form that is_file.
    virtual void code(std::string_view /*line*/) {}
};

// A word without the quotes around all of it.
std::string_view unquoted(std::string_view word);
// Whether a variable can be called so.
bool is_variable_name(std::string_view text);

void read_words(std::string_view part, const ShellForm& form, ShellListener& listener, int depth = 0);

}  // namespace shell
