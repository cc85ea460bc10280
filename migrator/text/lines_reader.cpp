// Files of "key = value" on a line each: TOML, INI and its like.
#include <algorithm>

#include "base/text.h"
#include "migrator/text/readers.h"

namespace migrator {
namespace {

// [a.b] and a.b = 1: a key for each part, the later in the earlier.
KeyId add_path(std::string_view path, KeyId parent, TextContents& out) {
    for (std::string_view part : base::split(path, '.')) parent = out.add_key(base::trimmed(part, " \t\"'"), parent);
    return parent;
}

class TomlReader {
public:
    explicit TomlReader(TextContents& out) : text_(out.text), out_(out) {}

    void run() {
        while (at_ < text_.size()) line();
    }

private:
    void line() {
        const std::string_view line = line_at(text_, at_);
        const std::string_view code = base::trimmed(line.substr(0, comment_start(line, "#")));
        const std::size_t begin = at_;
        at_ = next_line(text_, at_);
        if (code.starts_with('[')) {
            table_ = add_path(base::trimmed(code, "[] \t"), kNoKey, out_);
        } else if (const std::size_t equals = code.find('='); equals != code.npos) {
            const KeyId key = add_path(code.substr(0, equals), table_, out_);
            const auto behind = static_cast<std::size_t>(code.data() - text_.data()) + equals + 1;
            value(key, behind, code.substr(equals + 1));
        }
        for (std::size_t at = begin; at < at_; at = next_line(text_, at)) {
            const std::string_view one = line_at(text_, at);
            out_.code.push_back(one.substr(0, comment_start(one, "#")));
        }
    }

    void value(KeyId key, std::size_t at, std::string_view on_line) {
        at = std::min(text_.find_first_not_of(base::kBlanks, at), text_.size());
        const std::string_view rest = text_.substr(at);
        for (const std::string_view quotes : {"\"\"\"", "'''"}) {
            if (!rest.starts_with(quotes)) continue;
            const std::size_t end = std::min(text_.find(quotes, at + 3), text_.size());
            add_value(text_.substr(at + 3, end - at - 3), key, false, out_);
            at_ = std::max(at_, next_line(text_, end));
            return;
        }
        if (rest.starts_with('[') || rest.starts_with('{')) {
            at_ = std::max(at_, next_line(text_, read_flow(at, key, out_) - 1));
        } else if (rest.starts_with('"') || rest.starts_with('\'')) {
            const std::size_t end = behind_quoted(text_, at);
            if (end > at + 1) add_value(text_.substr(at + 1, end - at - 2), key, true, out_);
        } else {
            add_value(on_line, key, true, out_);
        }
    }

    std::string_view text_;
    TextContents& out_;
    std::size_t at_ = 0;
    KeyId table_ = kNoKey;
};

std::string_view without_outer_quotes(std::string_view value) {
    value = base::trimmed(value);
    const bool is_quoted =
        value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
    return is_quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

void read_toml(TextContents& out) { TomlReader(out).run(); }

void read_ini(TextContents& out) {
    KeyId section = kNoKey;
    KeyId key = kNoKey;
    for (std::size_t at = 0; at < out.text.size(); at = next_line(out.text, at)) {
        const std::string_view line = line_at(out.text, at);
        const std::string_view code = line.substr(0, comment_start(line, "#;"));
        const std::string_view content = base::trimmed(code);
        if (content.empty()) continue;
        out.code.push_back(code);
        const bool is_indented = base::kBlanks.find(code.front()) != base::kBlanks.npos;
        const std::size_t sign = content.find_first_of("=:");
        if (content.starts_with('[') && !is_indented) {
            section = out.add_key(base::trimmed(content, "[] \t"));
            key = kNoKey;
        } else if (is_indented && key != kNoKey) {
            add_value(without_outer_quotes(content), key, true, out);
        } else if (sign != content.npos) {
            key = out.add_key(base::trimmed(content.substr(0, sign)), section);
            add_value(without_outer_quotes(content.substr(sign + 1)), key, true, out);
        }
    }
}

}  // namespace migrator
