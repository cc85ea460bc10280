// Collections in brackets: [a, "b", {key: value}], over any number of lines.
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "migrator/text/readers.h"

namespace migrator {
namespace {

// As settings of Hydra name a class or a function.
constexpr std::string_view kNamesClass = "_target_";

constexpr std::string_view kWhite = " \t\r\n";

class FlowReader {
public:
    FlowReader(std::size_t at, TextContents& out) : text_(out.text), at_(at), out_(out) {}

    std::size_t run(KeyId key) {
        open(key, 0);
        while (at_ < text_.size() && !open_.empty()) step();
        return at_;
    }

private:
    struct Bracket {
        char close;
        KeyId around;  // the key that it stands behind
        KeyId key;     // of the value that comes next
        unsigned lists;
        ListWords words{};
    };

    void open(KeyId key, unsigned lists) {
        const bool is_list = text_[at_++] == '[';
        open_.push_back({is_list ? ']' : '}', key, key, is_list ? lists + 1 : 0});
    }

    void step() {
        const char c = text_[at_];
        Bracket& bracket = open_.back();
        if (kWhite.find(c) != kWhite.npos) return void(++at_);
        if (c == '#') return void(at_ += line_at(text_, at_).size());
        if (c == ',') {
            bracket.key = bracket.around;
            return void(++at_);
        }
        if (c == '[' || c == '{') return open(bracket.key, bracket.lists);
        if (c == ']' || c == '}') {
            bracket.words.finish(out_);
            open_.pop_back();
            return void(++at_);
        }
        if (c == '&' || c == '!') return void(at_ = read_property(at_, bracket.key, out_));
        if (c == '"' || c == '\'') return quoted();
        plain();
    }

    void quoted() {
        const std::size_t end = behind_quoted(text_, at_);
        const std::string_view value = text_.substr(at_ + 1, std::max(end, at_ + 2) - at_ - 2);
        at_ = end;
        const std::size_t next = text_.find_first_not_of(base::kBlanks, end);
        const bool is_key = next != text_.npos && (text_[next] == ':' || text_[next] == '=');
        if (!is_key) return element(value);
        open_.back().key = out_.add_key(value, open_.back().around);
        at_ = next + 1;
    }

    void plain() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && !ends_plain()) {
            // "${a:b,c}" is one word.
            const bool is_field = text_.substr(at_).starts_with("${");
            at_ = is_field ? std::min(text_.find_first_of("}\r\n", at_), text_.size() - 1) + 1 : at_ + 1;
        }
        const std::string_view value = base::trimmed(text_.substr(begin, at_ - begin));
        if (at_ == begin) return void(++at_);
        const bool is_key = at_ < text_.size() && (text_[at_] == ':' || text_[at_] == '=');
        if (!is_key) return element(value);
        open_.back().key = out_.add_key(value, open_.back().around);
        ++at_;
    }

    void element(std::string_view value) {
        Bracket& bracket = open_.back();
        add_value(value, bracket.key, true, out_, bracket.lists);
        if (bracket.close == ']') bracket.words.add(value);
    }

    bool ends_plain() const {
        const char c = text_[at_];
        if (std::string_view(",[]{}\r\n").find(c) != std::string_view::npos) return true;
        if (c == '#') return at_ > 0 && base::kBlanks.find(text_[at_ - 1]) != base::kBlanks.npos;
        if (c == '=') return text_.substr(at_).starts_with("= ");
        return c == ':' && (at_ + 1 == text_.size() || kWhite.find(text_[at_ + 1]) != kWhite.npos);
    }

    std::string_view text_;
    std::size_t at_;
    TextContents& out_;
    std::vector<Bracket> open_;
};

}  // namespace

std::size_t read_property(std::size_t at, KeyId key, TextContents& out) {
    const std::size_t end = std::min(out.text.find_first_of(" \t\r\n,]}", at), out.text.size());
    const std::string_view property = out.text.substr(at, end - at);
    if (property.starts_with('&') && key != kNoKey) out.anchors.push_back({property.substr(1), key});
    const std::size_t colon = property.rfind(':');
    const bool names_class = property.starts_with("!!python/") && colon != property.npos;
    if (names_class) out.settings.push_back({out.add_key(kNamesClass, key), property.substr(colon + 1)});
    return end;
}

std::size_t read_flow(std::size_t at, KeyId key, TextContents& out) { return FlowReader(at, out).run(key); }

void read_json(TextContents& out) {
    for (std::size_t at = 0; at < out.text.size(); at = next_line(out.text, at)) {
        if (const std::string_view line = line_at(out.text, at); !line.empty()) out.code.push_back(line);
    }
    // JSON lines are one collection behind the other.
    for (std::size_t at = 0; at < out.text.size();) {
        at = std::min(out.text.find_first_of("[{", at), out.text.size());
        if (at < out.text.size()) at = read_flow(at, kNoKey, out);
    }
}

}  // namespace migrator
