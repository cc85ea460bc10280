// Dockerfiles and makefiles: instructions and rules, in which commands of a shell stand.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "migrator/text/command_settings.h"
#include "migrator/text/readers.h"
#include "migrator/text/shell_reader.h"

namespace migrator {
namespace {

bool is_comment(std::string_view line) { return base::trimmed(line).starts_with('#'); }

// The lines that one instruction takes: those behind a backslash, and comments between them.
std::size_t behind_instruction(std::string_view text, std::size_t at, bool has_comments) {
    for (bool goes_on = true; goes_on && at < text.size();) {
        const std::string_view line = line_at(text, at);
        goes_on = (has_comments && is_comment(line)) || base::trimmed(line).ends_with('\\');
        at = next_line(text, at);
    }
    return at;
}

void add_lines(std::string_view part, bool is_make, TextContents& out) {
    for (std::size_t at = 0; at < part.size(); at = next_line(part, at)) {
        const std::string_view line = line_at(part, at);
        if (!line.empty() && !is_comment(line))
            out.code.push_back(is_make ? line.substr(0, comment_start(line, "#")) : line);
    }
}

// ["python", "t.py"]
std::vector<std::string_view> listed_words(std::string_view list) {
    std::vector<std::string_view> words;
    for (std::size_t at = list.find('"'); at != list.npos; at = list.find('"', at)) {
        const std::size_t end = behind_quoted(list, at);
        if (end == at + 1) break;
        words.push_back(list.substr(at + 1, end - at - 2));
        at = end;
    }
    return words;
}

// ENV NAME value, and ENV NAME=value ...
void read_variables(std::string_view instruction, std::string_view rest, TextContents& out) {
    const std::size_t name_end = rest.find_first_of(" \t=");
    if (name_end == rest.npos) return read_words({instruction, rest}, out);
    if (rest[name_end] == '=') return read_shell(rest, {.is_one_line = true, .skips_comment_lines = true}, out);
    const std::string_view value = base::trimmed(rest.substr(name_end));
    out.settings.push_back({out.add_key(rest.substr(0, name_end)), base::trimmed(value, "\"'")});
}

void read_instruction(std::string_view instruction, TextContents& out) {
    const std::string_view trimmed = base::trimmed(instruction);
    const std::size_t name_end = std::min(trimmed.find_first_of(base::kBlanks), trimmed.size());
    const std::string_view name = trimmed.substr(0, name_end);
    const std::string_view rest = base::trimmed(trimmed.substr(name_end));
    if (name == "ENV" || name == "ARG" || name == "env" || name == "arg") return read_variables(name, rest, out);
    if (rest.starts_with('[')) return read_words(listed_words(rest), out);
    read_shell(name == "RUN" || name == "run" ? rest : trimmed, {.skips_comment_lines = true}, out);
}

// NAME = value, NAME ?= value, NAME := value; nothing where there is none.
bool read_assignment(std::string_view line, TextContents& out) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos) return false;
    std::string_view name = base::trimmed(line.substr(0, equals), " \t:?+!");
    for (const std::string_view word : {"export ", "override "}) {
        if (name.starts_with(word)) name = base::trimmed(name.substr(word.size()));
    }
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) { return base::is_word_char(c); });
    if (is_name) {
        const std::string_view value = line.substr(equals + 1);
        add_value(value.substr(0, comment_start(value, "")), out.add_key(name), true, out);
    }
    return is_name;
}

// ifeq ($(NAME),value), ifneq "$(NAME)" "value", also behind `else`
void read_condition(std::string_view line, TextContents& out) {
    line = base::trimmed(line.substr(0, comment_start(line, "#")));
    if (line.starts_with("else ")) line = base::trimmed(line.substr(5));
    const std::size_t word_end = std::min(line.find_first_of(" \t("), line.size());
    const std::string_view word = line.substr(0, word_end);
    if (word != "ifeq" && word != "ifneq") return;
    std::string_view sides = base::trimmed(line.substr(word_end));
    const bool is_in_brackets = sides.starts_with('(') && sides.ends_with(')');
    if (is_in_brackets) sides = sides.substr(1, sides.size() - 2);
    const std::size_t between = sides.find_first_of(is_in_brackets ? "," : " \t");
    if (between == sides.npos) return;
    const std::string_view left = base::trimmed(sides.substr(0, between));
    const std::string_view right = base::trimmed(sides.substr(between + 1));
    add_comparison(left, right, out);
    add_comparison(right, left, out);
}

}  // namespace

void read_dockerfile(TextContents& out) {
    for (std::size_t at = 0; at < out.text.size();) {
        const std::string_view line = line_at(out.text, at);
        if (is_comment(line) || base::trimmed(line).empty()) {
            at = next_line(out.text, at);
            continue;
        }
        const std::size_t end = behind_instruction(out.text, at, true);
        const std::string_view instruction = out.text.substr(at, end - at);
        add_lines(instruction, false, out);
        read_instruction(instruction, out);
        at = end;
    }
}

void read_makefile(std::span<const std::string> directives, TextContents& out) {
    for (std::size_t at = 0; at < out.text.size();) {
        const std::string_view line = line_at(out.text, at);
        const bool is_recipe = line.starts_with('\t') || line.starts_with("    ");
        std::size_t end = behind_instruction(out.text, at, false);
        std::string_view part = out.text.substr(at, end - at);
        at = end;
        if (is_comment(line)) continue;
        add_lines(part, true, out);
        part = base::trimmed(part);
        while (is_recipe && !part.empty() && std::string_view("@-+").find(part.front()) != std::string_view::npos)
            part.remove_prefix(1);
        if (!is_recipe) read_condition(part, out);
        if (is_recipe || !read_assignment(part, out))
            read_shell(part, {.directives = directives, .is_recipe = true}, out);
    }
}

}  // namespace migrator
