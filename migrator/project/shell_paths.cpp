#include "migrator/project/shell_paths.h"

#include "base/string_map.h"
#include "base/text.h"
#include "migrator/loops/script.h"
#include "migrator/project/path_value.h"
#include "shell/shell_words.h"

namespace migrator {
namespace {

// The length of the bracketed text at the beginning, with its brackets.
std::size_t bracket_size(std::string_view text, char open, char close) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == open) ++depth;
        else if (text[at] == close && --depth == 0) return at + 1;
    }
    return text.size();
}

std::size_t name_size(std::string_view text) {
    std::size_t size = 0;
    while (size < text.size() && base::is_word_char(text[size])) ++size;
    return size;
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
    return count;
}

class ShellPaths final : public shell::ShellListener {
public:
    ShellPaths(const PathFacts& facts, const base::Path& file) : facts_(facts), file_(file) {
        variables_ = {{"PWD", "."}, {"HOME", "/"}, {"TMPDIR", "/"}};
    }

    void command(std::vector<std::string_view> words, int /*depth*/) override {
        bool is_first = true, is_written = false, is_output = false;
        for (const std::string_view word : words) {
            if (assigns(word)) continue;
            if (is_first) is_written = base::contains(facts_.writing_commands, word);
            is_first = false;
            // --data=X, data.path=X
            const std::size_t equals = word.find('=');
            const std::string_view name = word.substr(0, std::min(equals, word.size()));
            const bool is_option = name.starts_with('-') || equals != word.npos;
            if (is_option) is_output = has_word(name, facts_.output_words);
            if (!is_option || equals != word.npos)
                add(is_option ? word.substr(equals + 1) : word, is_written || is_output);
            if (!is_option || equals != word.npos) is_output = false;
        }
    }

    PathsOfFile paths() { return std::move(out_); }

private:
    // NAME=value in front of a command, alone, or behind `export`.
    bool assigns(std::string_view word) {
        const std::size_t size = name_size(word);
        if (size == 0 || size == word.size() || word[size] != '=') return false;
        PathValue value = of(word.substr(size + 1));
        if (has_word(word.substr(0, size), facts_.output_words)) add_written(value);
        variables_[std::string(word.substr(0, size))] = std::move(value);
        return true;
    }

    void add(std::string_view word, bool is_written) {
        if (word.find('/') == word.npos) return;  // a word, as far as it tells
        const PathValue value = of(word);
        if (is_written) return add_written(value);
        auto path = named_path(value, true);
        if (path && !out_.written.contains(path->path)) out_.named.insert(std::move(*path));
    }

    void add_written(const PathValue& value) {
        if (auto path = named_path(value, false)) out_.written.insert(std::move(path->path));
    }

    PathValue of(std::string_view word) {
        PathValue out;
        bool in_single = false;
        for (std::size_t at = 0; at < word.size() && out.size() <= kLongestPath;) {
            const char c = word[at];
            if (c == '\'') in_single = !in_single;
            const bool is_quote = c == '\'' || c == '"';
            if (in_single || (c != '$' && c != '`')) {
                if (!is_quote) out += known_text({&c, 1});
                ++at;
                continue;
            }
            const std::string_view rest = word.substr(at + 1);
            std::size_t size = name_size(rest);
            if (c == '`') {
                size = std::min(rest.find('`'), rest.size() - 1) + 1;
                out += of_command(rest.substr(0, size));
            } else if (rest.starts_with('(')) {
                size = bracket_size(rest, '(', ')');
                out += of_command(rest.substr(0, size));
            } else if (rest.starts_with('{')) {
                size = bracket_size(rest, '{', '}');
                out += of_variable(rest.substr(1, size - std::min<std::size_t>(size, 2)));
            } else {
                out += of_variable(rest.substr(0, size));
            }
            at += 1 + size;
        }
        return out.size() > kLongestPath ? unknown_path() : out;
    }

    // NAME, NAME:-default, 0%/*
    PathValue of_variable(std::string_view inside) const {
        const std::size_t size = name_size(inside);
        const std::string_view behind = inside.substr(size);
        const std::string_view name = inside.substr(0, size);
        const bool is_script = name == "0" || name == "BASH_SOURCE";
        if (is_script) {
            const PathValue script = path_of_project(file_);
            return behind.find("%/") == behind.npos ? script : parent_path(script);
        }
        if (const auto found = variables_.find(name); found != variables_.end() && behind.empty()) return found->second;
        const bool has_default = behind.starts_with(":-") || behind.starts_with(":=");
        const bool is_text = has_default && behind.find_first_of("$`") == behind.npos;
        return is_text ? known_text(behind.substr(2)) : unknown_path();
    }

    // $(pwd), $(dirname "$0"), $(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
    PathValue of_command(std::string_view command) const {
        const std::size_t parents = count_of(command, "dirname");
        const std::size_t above = count_of(command, "..");
        const bool is_of_script = command.find("$0") != command.npos || command.find("BASH_SOURCE") != command.npos;
        if (parents == 0 && above == 0 && count_of(command, "pwd") == 1 && !is_of_script) return ".";
        if (parents == 0 || !is_of_script) return unknown_path();
        PathValue out = path_of_project(file_);
        for (std::size_t i = 0; i < std::min<std::size_t>(parents + above, kLongestPath); ++i) out = parent_path(out);
        return out;
    }

    const PathFacts& facts_;
    const base::Path& file_;
    base::StringMap<PathValue> variables_;
    PathsOfFile out_;
};

}  // namespace

PathsOfFile shell_paths(std::string_view text, const PathFacts& facts, const base::Path& file) {
    ShellPaths listener(facts, file);
    shell::read_words(text, {.is_file = true, .has_whole_words = true}, listener);
    return listener.paths();
}

}  // namespace migrator
