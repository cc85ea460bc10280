// TextFile: a file that is not Python, or a part of one, with what it says. Private to this folder.
#pragma once

#include <string_view>
#include <vector>

#include "migrator/python/python_file.h"
#include "migrator/source/source_file.h"
#include "migrator/text/read_text.h"

namespace migrator {

struct TextFile {
    std::string_view path;
    FileType type = FileType::other;
    const RuleSet* rules = nullptr;
    const ValueEnds* value_ends = nullptr;  // of the Python files of the project
    TextContents contents;
    const PythonFile* around = nullptr;  // of settings that are a text in it
};

// Where `word` stands in `line` as a word of its own: no letter, digit, '_' or '-' next to it, unless the word itself
// begins or ends with something else.
std::vector<std::size_t> find_word(std::string_view line, std::string_view word);

// The run of characters around [from, to) that people would call one thing: up to blanks, quotes and separators.
std::string_view thing_around(std::string_view line, std::size_t from, std::size_t to);

// A command as rules name it, "pip* install", or a program at its beginning: the number of the word behind it; 0: it is
// another one.
std::size_t behind_command(const TextCommand& command, std::string_view named);

// All that is said of a file, or of the commands that a Python file starts.
void match_text(const TextFile& file, FindingSink& sink);

// `text` words of rules for this type of file.
void match_text_words(const TextFile& file, FindingSink& sink);
// Names of environment variables.
void match_text_environment(const TextFile& file, FindingSink& sink);
// Values behind the keys and options that carry them.
void match_text_values(const TextFile& file, FindingSink& sink);
// `setting` words of rules.
void match_text_settings(const TextFile& file, FindingSink& sink);
// `command` words of rules.
void match_text_commands(const TextFile& file, FindingSink& sink);
// Qualified names of classes and functions.
void match_text_names(const TextFile& file, FindingSink& sink);
// Packages that are asked for.
void match_text_packages(const TextFile& file, FindingSink& sink);
// Leaves what stands behind a key for CUDA where the key next to it is the same for the NPU: `gpu = [...]`, `npu = [...]`.
void leave_siblings(const TextFile& file, FindingSink& sink);
// Takes the fixes from commands and services a part of which is left to a person.
void keep_whole(const TextFile& file, FindingSink& sink);

}  // namespace migrator
