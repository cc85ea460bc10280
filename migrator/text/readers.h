// The readers of files that are no Python, one for each form. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "migrator/text/text_contents.h"

namespace migrator {

using base::line_at;
using base::next_line;

// Of a collection in brackets that begins at `at`: YAML's flow form, JSON, the values of TOML. The offset behind it.
std::size_t read_flow(std::size_t at, KeyId key, TextContents& out);
// Of an anchor or a tag that begins at `at`: "&base", "!!python/name:torch.cuda.synchronize". The offset behind it.
std::size_t read_property(std::size_t at, KeyId key, TextContents& out);
// Behind the quoted text that begins at `at`; `at` + 1 when nothing closes it.
std::size_t behind_quoted(std::string_view text, std::size_t at);
// Adds a value, and what it says if it is a command: `is_one_line`: its line ends are blanks. `lists`: as of a setting.
void add_value(std::string_view value, KeyId key, bool is_one_line, TextContents& out, unsigned lists = 0);
// Where the comment of a line begins: at one of `signs` at its start, or at '#' behind a blank and outside quotes.
std::size_t comment_start(std::string_view line, std::string_view signs);

// The elements of a list of settings, which may be the words of a command: ["python", "t.py", "--device", "cuda"].
class ListWords {
public:
    void add(std::string_view word);
    // Adds the command, where it is one, and begins from scratch.
    void finish(TextContents& out);

private:
    std::vector<std::string_view> words_;
};

void read_yaml(TextContents& out);
void read_json(TextContents& out);
void read_toml(TextContents& out);
// Sections of "key = value" and "key: value", with further values on lines that are indented.
void read_ini(TextContents& out);
void read_dockerfile(TextContents& out);
void read_makefile(std::span<const std::string> directives, TextContents& out);
// Lines, of which nothing but comments is known.
void read_lines(std::string_view comment_signs, TextContents& out);

}  // namespace migrator
