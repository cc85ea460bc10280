// TextFile: a file that is not Python as lines, with what is comment and what is not. Private to this folder.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/text_position.h"
#include "migrator/python/python_file.h"
#include "migrator/source/source_file.h"

namespace migrator {

struct TextLine {
    std::uint64_t begin = 0;  // offset in the file
    std::string_view code;    // without comment and line end

    base::ByteRange range(std::size_t from, std::size_t to) const { return {begin + from, begin + to}; }
};

struct TextFile {
    std::string_view path;
    FileType type = FileType::other;
    const RuleSet* rules = nullptr;
    std::vector<TextLine> lines;
};

TextFile read_text_file(const SourceFile& file, std::string_view text, const RuleSet& rules);
// The lines of a part of a file that is of another type; `begin`: its offset in the file.
TextFile read_text_part(std::string_view path, FileType type, std::string_view text, std::uint64_t begin,
                        const RuleSet& rules);

// Where `word` stands in `line` as a word of its own: no letter, digit, '_' or '-' next to it, unless the word itself
// begins or ends with something else.
std::vector<std::size_t> find_word(std::string_view line, std::string_view word);

// The run of characters around [from, to) that people would call one thing: up to blanks, quotes and separators.
std::string_view thing_around(std::string_view line, std::size_t from, std::size_t to);

// `text` words of rules for this type of file.
void match_text_words(const TextFile& file, FindingSink& sink);
// Names of environment variables.
void match_text_environment(const TextFile& file, FindingSink& sink);
// Values behind the keys and options that carry them.
void match_text_values(const TextFile& file, FindingSink& sink);
// Packages that are asked for.
void match_text_packages(const TextFile& file, FindingSink& sink);

}  // namespace migrator
