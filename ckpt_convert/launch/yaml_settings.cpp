#include "ckpt_convert/launch/yaml_settings.h"

#include <string>

#include "base/text.h"
#include "base/text_lines.h"

namespace ckpt {
namespace {

// The line without its comment: '#' at its start or behind a blank, outside quotes.
std::string_view without_comment(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != 0) quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'') quote = c;
        else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return line.substr(0, i);
    }
    return line;
}

// No program has a longer name. A section is in the names of all that stands in it, so its own is cut there.
constexpr std::size_t kMaxName = 256;

class YamlLines {
public:
    YamlLines(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

    std::vector<ScriptOption> run() {
        for (std::size_t at = 0; at < text_.size(); at = base::next_line(text_, at)) line(base::line_at(text_, at));
        return std::move(out_);
    }

private:
    struct Level {
        std::size_t indent = 0;
        std::string name;  // with those of the levels that it is in: "data.dataset"
    };

    // Of nothing the beginning of its line.
    ScriptPlace place(std::string_view part) const {
        if (part.empty()) return {file_, line_begin_, line_begin_};
        const auto begin = static_cast<std::uint64_t>(part.data() - text_.data());
        return {file_, begin, begin + part.size()};
    }

    void line(std::string_view whole) {
        line_begin_ = static_cast<std::uint64_t>(whole.data() - text_.data());
        const std::string_view content = base::trimmed(without_comment(whole));
        if (content.empty() || content == "---") return;
        const auto indent = static_cast<std::size_t>(content.data() - whole.data());
        if (content.starts_with("- ") || content == "-") return item(content.substr(1));
        const std::size_t colon = key_end(content);
        if (colon == content.npos || colon == 0) return;
        while (!levels_.empty() && levels_.back().indent >= indent) levels_.pop_back();
        const std::string_view key = base::trimmed(content.substr(0, colon));
        const std::string_view value = base::trimmed(content.substr(colon + 1));
        std::string name = levels_.empty() ? std::string() : levels_.back().name + ".";
        name += key.substr(0, kMaxName);
        levels_.push_back({indent, name.substr(0, kMaxName)});
        // A section is no setting until something stands in it.
        if (value.empty()) return void(waiting_ = {name, place(key), place(key), {}});
        out_.push_back({name, place(key), place(key), {}});
        add_values(value);
    }

    static std::size_t key_end(std::string_view content) {
        for (std::size_t i = 0; i < content.size(); ++i) {
            if (content[i] == ':' && (i + 1 == content.size() || content[i + 1] == ' ')) return i;
        }
        return content.npos;
    }

    void item(std::string_view value) {
        if (!waiting_.name.empty()) out_.push_back(std::exchange(waiting_, {}));
        if (!out_.empty()) add_value(base::trimmed(value));
    }

    void add_values(std::string_view value) {
        if (!value.starts_with('[') || !value.ends_with(']')) return add_value(value);
        for (const std::string_view part : base::split(value.substr(1, value.size() - 2), ',')) add_value(part);
    }

    void add_value(std::string_view value) {
        const bool is_known = value.find_first_of("&*{|>") != 0;
        const bool is_quoted =
            value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
        if (is_quoted) value = value.substr(1, value.size() - 2);
        out_.back().values.push_back({std::string(value), place(value), place(value), is_known});
    }

    std::string_view text_;
    std::uint32_t file_;
    std::uint64_t line_begin_ = 0;
    std::vector<Level> levels_;
    ScriptOption waiting_;
    std::vector<ScriptOption> out_;
};

}  // namespace

std::vector<ScriptOption> yaml_settings(std::string_view text, std::uint32_t file) {
    return YamlLines(text, file).run();
}

}  // namespace ckpt
