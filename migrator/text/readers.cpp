#include "migrator/text/readers.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/text/command_settings.h"
#include "migrator/text/shell_reader.h"

namespace migrator {
namespace {

// Of a list of numbers, which may be all of a large file, the first is enough.
bool is_further_number(std::string_view value, KeyId key, const TextContents& out) {
    const bool is_further = key == kNoKey || (!out.settings.empty() && out.settings.back().key == key);
    return is_further && value.find_first_not_of("+-.0123456789eE_") == value.npos;
}

// Of a longer list the rest is no command.
constexpr std::size_t kMaxWords = 256;

// "python t.py --device cuda", "NAME=value": worth reading as a command. Prose is most of what else has blanks in it.
bool may_be_command(std::string_view value) {
    return value.find('=') != value.npos || value.find(" -") != value.npos || value.find('\n') != value.npos ||
           value.find(" install ") != value.npos || value.find("git clone ") != value.npos;
}

}  // namespace

std::size_t behind_quoted(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\') ++i;
        else if (text[i] == quote) return i + 1;
    }
    return at + 1;
}

void add_value(std::string_view value, KeyId key, bool is_one_line, TextContents& out, unsigned lists) {
    value = base::trimmed(value);
    if (value.empty() || is_further_number(value, key, out)) return;
    out.settings.push_back({key, value, lists});
    if (may_be_command(value)) read_shell(value, {.is_one_line = is_one_line}, out);
}

void ListWords::add(std::string_view word) {
    if (words_.size() < kMaxWords) words_.push_back(word);
}

void ListWords::finish(TextContents& out) {
    const bool has_option =
        words_.size() > 1 && std::ranges::any_of(words_, [](std::string_view word) {
            return word.starts_with("--") && word.size() > 2 && word.find_first_of(" \n") == word.npos;
        });
    if (has_option) add_command(std::move(words_), out);
    words_.clear();
}

std::size_t comment_start(std::string_view line, std::string_view signs) {
    const std::size_t first = line.find_first_not_of(base::kBlanks);
    if (first != line.npos && signs.find(line[first]) != signs.npos) return first;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '\\' && quote != '\'') {
            ++i;
        } else if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            // An apostrophe inside a word is none: don't
            if (i == 0 || !base::is_word_char(line[i - 1])) quote = c;
        } else if (c == '#' && i > 0 && base::kBlanks.find(line[i - 1]) != base::kBlanks.npos) {
            return i;
        }
    }
    return line.size();
}

void read_lines(std::string_view comment_signs, TextContents& out) {
    for (std::size_t at = 0; at < out.text.size(); at = next_line(out.text, at)) {
        const std::string_view line = line_at(out.text, at);
        if (const std::string_view code = line.substr(0, comment_start(line, comment_signs)); !code.empty())
            out.code.push_back(code);
    }
}

}  // namespace migrator
