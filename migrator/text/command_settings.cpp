#include "migrator/text/command_settings.h"

#include <algorithm>
#include <array>

#include "base/file_system.h"
#include "base/text.h"
#include "migrator/source/discovery.h"
#include "migrator/text/readers.h"
#include "migrator/text/shell_reader.h"

namespace migrator {
namespace {

// Words of the shell in front of a command.
constexpr auto kKeywords = std::to_array<std::string_view>(
    {"if", "then", "else", "elif", "do", "done", "fi", "while", "until", "{", "}", "!", "time", "esac", "@", "-"});

// "NAME" of NAME=value and NAME+=value, "a.b" of a.b=value and +a.b=value, "--option" of --option=value; empty without one.
std::string_view assigned_name(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return {};
    std::string_view name = word.substr(0, equals);
    while (name.starts_with('-') || name.starts_with('+')) name.remove_prefix(1);
    if (name.ends_with('+')) name.remove_suffix(1);
    const bool is_plain = !name.empty() && std::ranges::all_of(name, [](char c) {
        return base::is_word_char(c) || c == '.' || c == '-';
    });
    return is_plain ? name : std::string_view();
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

class CommandWords {
public:
    CommandWords(std::vector<std::string_view> words, TextContents& out) : words_(std::move(words)), out_(out) {}

    void run() {
        std::size_t first = 0;
        while (first < words_.size() && is_in_front(words_[first])) ++first;
        if (is_loop(first)) return loop(first);
        for (std::size_t i = first; i < words_.size(); ++i) {
            word(i);
            words_[i] = shell::unquoted(words_[i]);
        }
        words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(first));
        if (words_.empty()) return;
        add_program();
        out_.commands.push_back({std::move(words_)});
    }

    // ARGS=(--device cuda a b): options of a later command; what follows no option is of the list.
    void list(std::string_view name) {
        list_ = option_ = out_.add_key(name);
        for (std::size_t i = 0; i < words_.size(); ++i) word(i);
    }

private:
    // Variables that are set for the command are none of its words.
    bool is_in_front(std::string_view word) {
        if (base::contains(kKeywords, word)) return true;
        const std::string_view name = assigned_name(word);
        if (!shell::is_variable_name(name) || word.data() != name.data()) return false;
        add(name, word.substr(word.find('=') + 1));
        return true;
    }

    // python -c "..."
    void add_program() {
        for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
            if (!is_python(words_[i])) continue;
            std::size_t at = i + 1;
            while (at + 1 < words_.size() && words_[at].starts_with('-') && words_[at] != "-c") ++at;
            if (words_[at] == "-c" && at + 1 < words_.size()) return out_.python.push_back(words_[at + 1]);
        }
    }

    bool is_loop(std::size_t first) const {
        return words_.size() > first + 3 && words_[first] == "for" && words_[first + 2] == "in";
    }
    void loop(std::size_t first) {
        const KeyId key = out_.add_key(words_[first + 1]);
        for (std::size_t i = first + 3; i < words_.size(); ++i)
            out_.settings.push_back({key, shell::unquoted(words_[i])});
    }

    void word(std::size_t i) {
        const std::string_view word = words_[i];
        if (const std::string_view name = assigned_name(word); !name.empty()) {
            option_ = list_;
            return add(name, word.substr(word.find('=') + 1));
        }
        if (word.starts_with('-')) {
            const std::string_view name =
                word.substr(word.find_first_not_of('-') == word.npos ? 0 : word.find_first_not_of('-'));
            option_ = word.starts_with("--") && !name.empty() ? out_.add_key(last_part(name)) : list_;
            return;
        }
        const bool compares = word == "=" || word == "==" || word == "!=";
        if (compares && i > 0 && i + 1 < words_.size()) return add_comparison(words_[i - 1], words_[i + 1], out_);
        if (option_ == kNoKey) return;
        out_.settings.push_back({option_, shell::unquoted(word)});
    }

    void add(std::string_view name, std::string_view value) {
        out_.settings.push_back({out_.add_key(last_part(name)), shell::unquoted(value)});
    }

    std::vector<std::string_view> words_;
    TextContents& out_;
    KeyId list_ = kNoKey;    // of the words that are read, when they are no command
    KeyId option_ = kNoKey;  // that the next words belong to
};

}  // namespace

bool is_python(std::string_view program) { return base::file_name(program).starts_with("python"); }

std::string_view variable_in(std::string_view word) {
    word = shell::unquoted(word);
    if (!word.starts_with('$')) return {};
    word.remove_prefix(word.starts_with("$$") ? 2 : 1);
    const bool is_in_brackets = word.starts_with('{') || word.starts_with('(');
    if (is_in_brackets) word.remove_prefix(1);
    std::size_t end = 0;
    while (end < word.size() && base::is_word_char(word[end])) ++end;
    return is_in_brackets || end == word.size() ? word.substr(0, end) : std::string_view();
}

void add_command(std::vector<std::string_view> words, TextContents& out) { CommandWords(std::move(words), out).run(); }

void add_list(std::string_view name, const std::vector<std::string_view>& words, TextContents& out) {
    CommandWords(words, out).list(name);
}

void add_comparison(std::string_view variable, std::string_view value, TextContents& out) {
    const std::string_view name = variable_in(variable);
    if (!name.empty()) out.settings.push_back({out.add_key(name), shell::unquoted(value)});
}

void read_document(std::string_view body, std::string_view file, TextContents& out) {
    TextContents inner{body, 0, {}, {}, {}, {}, out.depth};
    switch (file_type_of(shell::unquoted(file))) {
        case FileType::python: return out.python.push_back(body);
        case FileType::yaml: read_yaml(inner); break;
        case FileType::json: read_json(inner); break;
        case FileType::toml: read_toml(inner); break;
        case FileType::ini: read_ini(inner); break;
        default: return read_shell(body, {}, out);
    }
    const auto keys = static_cast<KeyId>(out.keys.size());
    for (TextKey key : inner.keys) {
        if (key.parent != kNoKey) key.parent += keys;
        out.keys.push_back(key);
    }
    for (TextSetting setting : inner.settings) {
        if (setting.key != kNoKey) setting.key += keys;
        out.settings.push_back(setting);
    }
    for (TextAnchor anchor : inner.anchors) {
        anchor.key += keys;
        out.anchors.push_back(anchor);
    }
    for (TextCommand& command : inner.commands) out.commands.push_back(std::move(command));
    out.python.insert(out.python.end(), inner.python.begin(), inner.python.end());
}

}  // namespace migrator
