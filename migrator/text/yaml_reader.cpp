// YAML by its indentation: keys, lists, block texts; what stands in brackets is read by read_flow. Templates and what else is no
// YAML are values.
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "migrator/text/readers.h"

namespace migrator {
namespace {

class YamlReader {
public:
    explicit YamlReader(TextContents& out) : text_(out.text), out_(out) {}

    void run() {
        while (at_ < text_.size()) line();
        words_.finish(out_);
    }

private:
    // A key, or an element of a list, and how far it is indented. What is indented more belongs to it.
    struct Level {
        std::size_t indent;
        KeyId key;
        bool is_element;
    };

    KeyId key() const { return levels_.empty() ? kNoKey : levels_.back().key; }
    unsigned lists() const {
        unsigned out = 0;
        while (out < levels_.size() && levels_[levels_.size() - 1 - out].is_element) ++out;
        return out;
    }

    void line() {
        line_begin_ = at_;
        line_ = line_at(text_, at_);
        const std::size_t indent = line_.find_first_not_of(base::kBlanks);
        if (indent == line_.npos || line_[indent] == '#') return next();
        if (line_.starts_with("---") || line_.starts_with("...")) {
            levels_.clear();
            at_ += 3;
        } else {
            at_ += indent;
        }
        // A list may stand as far left as its key.
        leave(is_element() && text_[at_] == '-' ? column() + 1 : column());
        while (is_element()) element();
        node();
        // Behind a block text the next line is read, else this one is left.
        if (at_ > line_begin_ || !line_.empty()) {
            add_code();
            next();
        }
    }

    std::size_t column() const { return at_ - line_begin_; }
    std::size_t line_end() const { return line_begin_ + line_.size(); }
    void next() { at_ = next_line(text_, std::max(at_, line_begin_)); }

    // What is not around text at this column any more.
    void leave(std::size_t indent) {
        while (!levels_.empty() && levels_.back().indent >= indent) levels_.pop_back();
    }

    bool is_element() const {
        const bool starts = at_ < line_end() && (text_[at_] == '-' || text_[at_] == '?');
        return starts && (at_ + 1 == line_end() || base::kBlanks.find(text_[at_ + 1]) != base::kBlanks.npos);
    }

    void element() {
        while (!levels_.empty() && levels_.back().is_element && levels_.back().indent >= column()) levels_.pop_back();
        if (list_ != std::pair(column(), key())) words_.finish(out_);
        list_ = {column(), key()};
        levels_.push_back({column(), key(), true});
        ++at_;
        skip_blanks();
    }

    void skip_blanks() {
        while (at_ < line_end() && base::kBlanks.find(text_[at_]) != base::kBlanks.npos) ++at_;
    }

    // The rest of a line: keys, and a value.
    void node() {
        for (;;) {
            skip_properties();
            const std::size_t begin = at_;
            const char c = at_ < line_end() ? text_[at_] : '#';
            if (c == '#') return;
            if (c == '|' || c == '>') return block(c == '>');
            if (c == '[' || c == '{') return flow();
            std::string_view value = c == '"' || c == '\'' ? quoted() : plain();
            if (!is_behind_key()) {
                if (!levels_.empty() && levels_.back().is_element) words_.add(value);
                return add_value(value, key(), true, out_, lists());
            }
            levels_.push_back({std::max(begin, line_begin_) - line_begin_, out_.add_key(value, key()), false});
            ++at_;
        }
    }

    bool is_behind_key() {
        const std::size_t behind = at_;
        skip_blanks();
        const bool is_key = at_ < line_end() && text_[at_] == ':' &&
                            (at_ + 1 >= line_end() || base::kBlanks.find(text_[at_ + 1]) != base::kBlanks.npos);
        if (!is_key) at_ = behind;
        return is_key;
    }

    // &anchor, !tag
    void skip_properties() {
        for (skip_blanks(); at_ < line_end() && (text_[at_] == '&' || text_[at_] == '!'); skip_blanks())
            at_ = read_property(at_, key(), out_);
    }

    std::string_view quoted() {
        const std::size_t begin = at_ + 1;
        const std::size_t end = behind_quoted(text_, at_);
        if (end == begin) return plain();  // nothing closes it
        at_ = end;
        move_on();
        return text_.substr(begin, end - begin - 1);
    }

    std::string_view plain() {
        const std::size_t begin = at_;
        while (at_ < line_end()) {
            const char c = text_[at_];
            const bool is_last = at_ + 1 == line_end();
            if (c == ':' && (is_last || base::kBlanks.find(text_[at_ + 1]) != base::kBlanks.npos)) break;
            if (c == '#' && base::kBlanks.find(text_[at_ - 1]) != base::kBlanks.npos) break;
            ++at_;
        }
        return base::trimmed(text_.substr(begin, at_ - begin));
    }

    void flow() {
        at_ = read_flow(at_, key(), out_);
        move_on();
    }

    // Behind a value that may have taken several lines, the last of which is the one that is read now.
    void move_on() {
        while (at_ > line_end()) {
            add_code();
            line_begin_ = next_line(text_, line_begin_);
            line_ = line_at(text_, line_begin_);
            if (line_begin_ >= text_.size()) break;
        }
    }

    // The lines below that are indented more than what they belong to.
    void block(bool is_folded) {
        add_code();
        const std::size_t around = levels_.empty() ? 0 : levels_.back().indent + 1;
        const std::size_t begin = next_line(text_, at_);
        std::size_t end = begin;
        while (end < text_.size()) {
            const std::string_view line = line_at(text_, end);
            const std::size_t indent = line.find_first_not_of(base::kBlanks);
            if (indent != line.npos && indent < around) break;
            if (indent != line.npos) out_.code.push_back(line.substr(0, comment_start(line, "#")));
            end = next_line(text_, end);
        }
        add_value(text_.substr(begin, end - begin), key(), is_folded, out_);
        at_ = line_begin_ = end;
        line_ = {};
    }

    void add_code() {
        if (const std::string_view code = line_.substr(0, comment_start(line_, "#")); !code.empty())
            out_.code.push_back(code);
    }

    std::string_view text_;
    TextContents& out_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    std::string_view line_;
    std::vector<Level> levels_;
    std::pair<std::size_t, KeyId> list_{0, kNoKey};  // where it stands whose elements are words_
    ListWords words_;
};

}  // namespace

void read_yaml(TextContents& out) { YamlReader(out).run(); }

}  // namespace migrator
