#include "shell/shell_words.h"

#include <algorithm>

#include "base/text.h"
#include "base/text_lines.h"

namespace shell {
namespace {

// Text in text, as in sh -c "ssh host 'command'", is read no deeper than this.
constexpr int kMaxDepth = 2;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

std::string_view without_quotes(std::string_view word) {
    const bool is_quoted =
        word.size() >= 2 && (word.front() == '"' || word.front() == '\'') && word.back() == word.front();
    return is_quoted && word.find(word.front(), 1) == word.size() - 1 ? word.substr(1, word.size() - 2) : word;
}

// Of a word with commands in it, which are read by themselves, so much is looked at: they may be in each other.
constexpr std::size_t kMixedWord = 256;

// What is being read: the script, and inside it substitutions, quotes and brackets, one in the other.
struct Frame {
    char close = 0;              // what ends it; 0: the end of the text
    bool holds_commands = true;  // else it is a part of a word
    bool is_mixed = false;       // the word has commands in it
    std::vector<std::string_view> words{};
    std::size_t word = std::string_view::npos;  // where the word begins that is being read
    std::string_view list{};                    // devices=(a b): the name of the list
    std::string_view chosen_by{};               // case $DEVICE in: what the patterns are compared with
};

class ShellReader {
public:
    ShellReader(std::string_view part, const ShellForm& form, ShellListener& out, int depth)
        : text_(part), form_(form), out_(out), depth_(depth) {}

    void run() {
        frames_.emplace_back();
        while (at_ < text_.size()) step();
        add_code(text_.size());
        while (frames_.size() > 1) leave();
        end_command();
    }

private:
    Frame& frame() { return frames_.back(); }

    void step() {
        const char c = text_[at_];
        if (c == '\\') return escape();
        if (c == frame().close) return close();
        if (!frame().holds_commands) return inside_word(c);
        if (is_line_end(c)) return line_end();
        if (is_blank(c)) return end_word(), void(++at_);
        if (c == '#' && frame().word == text_.npos) return comment();
        if (c == ';' || c == '|' || c == '&') return separator(c);
        if (c == '<' || c == '>') return redirection();
        if (c == '(') return bracket();
        if (c == ')') return end_command(), void(++at_);  // behind a pattern of `case`
        begin_word();
        inside_word(c);
    }

    void begin_word() {
        if (frame().word == text_.npos) frame().word = at_;
    }

    // A character that is a part of a word, whatever is around it.
    void inside_word(char c) {
        const bool in_double_quotes = frame().close == '"';
        if (c == '$') return dollar();
        if (c == '`') return open({.close = '`'}, 1);
        if (c == '"' && !in_double_quotes) return open_quotes();
        if (c == '\'' && !in_double_quotes) return single_quoted();
        if (is_line_end(c)) add_code(at_);
        ++at_;
        if (is_line_end(c)) code_begin_ = at_;
    }

    void open(Frame inner, std::size_t size) {
        begin_word();
        if (inner.holds_commands) out_.enter(true);
        at_ += size;
        frames_.push_back(std::move(inner));
    }

    void open_quotes() {
        if (!closes('"')) return void(++at_);
        open({.close = '"', .holds_commands = false}, 1);
    }

    // Whether the quote is there once more; what is open at the end of a text that is no script swallows nothing.
    bool closes(char quote) {
        std::size_t& last = quote == '"' ? last_double_ : last_single_;
        if (last == kNotLooked) last = text_.rfind(quote);
        return last != text_.npos && last > at_;
    }

    void single_quoted() {
        if (!closes('\'')) return void(++at_);
        const std::size_t end = text_.find('\'', at_ + 1) + 1;
        while (at_ < end) {
            if (is_line_end(text_[at_])) {
                add_code(at_);
                code_begin_ = at_ + 1;
            }
            ++at_;
        }
    }

    void dollar() {
        std::string_view rest = text_.substr(at_);
        std::size_t dollars = 1;
        if (form_.is_recipe) {
            const bool is_doubled = rest.starts_with("$$");
            const bool is_shell = rest.starts_with("$(shell ");
            if (is_shell) return open({.close = ')'}, std::string_view("$(shell ").size());
            // A name of make is no command.
            if (!is_doubled && rest.starts_with("$(")) return open({.close = ')', .holds_commands = false}, 2);
            if (is_doubled) dollars = 2;
        }
        rest.remove_prefix(dollars);
        if (rest.starts_with('(')) return open({.close = ')'}, dollars + 1);
        if (rest.starts_with('{')) return open({.close = '}', .holds_commands = false}, dollars + 1);
        at_ += dollars;
    }

    void escape() {
        const std::size_t next = at_ + 1;
        if (next >= text_.size() || !is_line_end(text_[next])) {
            begin_word();
            at_ = std::min(next + 1, text_.size());
            return;
        }
        if (frame().holds_commands) end_word();
        add_code(at_);
        at_ = code_begin_ = base::next_line(text_, at_);
        while (form_.skips_comment_lines && base::trimmed(base::line_at(text_, at_)).starts_with('#'))
            at_ = code_begin_ = base::next_line(text_, at_);
    }

    void close() {
        if (frames_.size() > 1) leave();
        ++at_;
    }

    void leave() {
        if (frame().holds_commands) end_command();
        if (frame().holds_commands && frame().list.empty()) out_.leave();
        const bool is_mixed = frame().holds_commands || frame().is_mixed;
        frames_.pop_back();
        frame().is_mixed |= is_mixed;
    }

    void line_end() {
        if (form_.is_one_line) end_word();
        else end_command();
        add_code(at_);
        at_ = code_begin_ = base::next_line(text_, at_);
        while (next_document_ < documents_.size() && at_ < text_.size()) here_document();
        documents_.clear();
        next_document_ = 0;
        target_ = {};
    }

    void comment() {
        const std::string_view line = base::line_at(text_, at_);
        const bool is_read = std::ranges::any_of(form_.directives, [&](const std::string& directive) {
            return line.starts_with(directive) && line.substr(directive.size()).starts_with(' ');
        });
        if (is_read) return void(at_ += line.find(' '));
        add_code(at_);
        at_ = code_begin_ = at_ + line.size();
    }

    void separator(char c) {
        // 2>&1 and &>file are no end of a command.
        const bool is_redirection =
            c == '&' && ((at_ > 0 && text_[at_ - 1] == '>') || text_.substr(at_ + 1).starts_with('>'));
        if (is_redirection) end_word();
        else end_command();
        ++at_;
    }

    void bracket() {
        const std::string_view word =
            frame().word == text_.npos ? std::string_view() : text_.substr(frame().word, at_ - frame().word);
        Frame inner{.close = ')'};
        if (word.ends_with('=')) inner.list = word.substr(0, word.size() - (word.ends_with("+=") ? 2 : 1));
        else end_word();
        if (inner.list.empty()) out_.enter(false);
        else frame().word = text_.npos;
        ++at_;
        frames_.push_back(std::move(inner));
    }

    void redirection() {
        // 2>file: a number in front is none of the words.
        const bool has_number =
            frame().word != text_.npos &&
            text_.substr(frame().word, at_ - frame().word).find_first_not_of("0123456789") == text_.npos;
        if (has_number) frame().word = text_.npos;
        else end_word();
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with("<(") || rest.starts_with(">(")) {
            at_ += 2;
            out_.enter(true);
            frames_.push_back({.close = ')'});
            return;
        }
        const bool is_document = rest.starts_with("<<") && !rest.starts_with("<<<");
        const bool is_output = rest.front() == '>';
        while (at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>' || text_[at_] == '|')) ++at_;
        if (is_document && at_ < text_.size() && text_[at_] == '-') ++at_;
        if (at_ < text_.size() && text_[at_] == '&') ++at_;
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n;|&<>()", at_), text_.size());
        const std::string_view word = without_quotes(text_.substr(at_, end - at_));
        if (is_document && !word.empty()) documents_.push_back(word);
        else if (!is_document && !is_output && !word.empty()) return;  // what is read from is a word like others
        if (is_output) target_ = word;
        if (is_document || is_output) at_ = end;
    }

    // <<END ... END: the text is what the file that it goes to says.
    void here_document() {
        const std::string_view mark = documents_[next_document_++];
        const std::size_t begin = at_;
        std::size_t end = at_;
        for (;;) {
            if (end >= text_.size()) break;
            const std::string_view line = base::line_at(text_, end);
            if (base::trimmed(line) == mark) break;
            add_code_line(line);
            end = base::next_line(text_, end);
        }
        const std::string_view body = text_.substr(begin, std::min(end, text_.size()) - begin);
        at_ = code_begin_ = end < text_.size() ? base::next_line(text_, end) : text_.size();
        if (depth_ < kMaxDepth) out_.document(body, target_, depth_ + 1);
    }

    void end_word() {
        if (frame().word == text_.npos) return;
        const std::size_t size = at_ - frame().word;
        const bool is_outer = frames_.size() == 1 || (frames_.size() == 2 && !frame().list.empty());
        const bool is_cut = frame().is_mixed && !(form_.has_whole_words && is_outer);
        frame().words.push_back(text_.substr(frame().word, is_cut ? std::min(size, kMixedWord) : size));
        frame().word = text_.npos;
        frame().is_mixed = false;
        // case $DEVICE in
        const auto& words = frame().words;
        if (words.size() == 3 && words[0] == "case" && words[2] == "in") {
            const std::string_view chosen_by = words[1];
            end_command();
            frame().chosen_by = chosen_by;
        }
    }

    void end_command() {
        end_word_at_end();
        std::vector<std::string_view> words = std::move(frame().words);
        frame().words.clear();
        if (words.empty()) return;
        if (!frame().list.empty()) return out_.list(frame().list, std::move(words));
        if (words.front() == "esac") frame().chosen_by = {};
        // A word alone is no pattern when it is a command of the part.
        const bool ends_pattern = at_ < text_.size() && (text_[at_] == ')' || text_[at_] == '|');
        const bool is_pattern = !frame().chosen_by.empty() && words.size() == 1 && ends_pattern;
        if (is_pattern) out_.comparison(frame().chosen_by, words.front());
        if (depth_ < kMaxDepth) read_quoted(words);
        out_.command(std::move(words), depth_);
    }

    void end_word_at_end() {
        if (frame().word == text_.npos) return;
        if (!frame().holds_commands) frame().word = text_.npos;
        else end_word();
    }

    // sh -c "...": a text with blanks in it may be a command itself. One with substitutions has been looked through.
    void read_quoted(const std::vector<std::string_view>& words) {
        for (const std::string_view word : words) {
            const std::size_t quote = word.find_first_of("\"'");
            if (quote == word.npos) continue;
            const std::string_view inner = without_quotes(word.substr(quote));
            if (inner.size() + 2 != word.size() - quote) continue;
            const bool may_be = inner.find_first_of(" \n") != inner.npos && inner.find_first_of("`") == inner.npos &&
                                inner.find("$(") == inner.npos;
            if (!may_be) continue;
            ShellReader(inner, {.is_recipe = form_.is_recipe}, out_, depth_ + 1).run();
        }
    }

    void add_code(std::size_t end) {
        if (form_.is_file && end > code_begin_) add_code_line(text_.substr(code_begin_, end - code_begin_));
        code_begin_ = end;
    }
    void add_code_line(std::string_view line) {
        if (form_.is_file && !line.empty()) out_.code(line);
    }

    static constexpr std::size_t kNotLooked = std::string_view::npos - 1;

    std::string_view text_;
    const ShellForm form_;
    ShellListener& out_;
    const int depth_;  // how many texts the one that is read stands in: a here-document, a command in quotes
    std::size_t at_ = 0;
    std::size_t code_begin_ = 0;  // of the code on this line that is not in the list yet
    std::size_t last_double_ = kNotLooked, last_single_ = kNotLooked;
    std::vector<Frame> frames_;
    std::vector<std::string_view> documents_;  // the marks of the here-documents that begin on this line
    std::size_t next_document_ = 0;
    std::string_view target_;  // the file that a command of this line writes
};

}  // namespace

std::string_view unquoted(std::string_view word) {
    const bool is_quoted =
        word.size() >= 2 && (word.front() == '"' || word.front() == '\'') && word.back() == word.front();
    return is_quoted ? word.substr(1, word.size() - 2) : word;
}

bool is_variable_name(std::string_view text) {
    return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::ranges::all_of(text, base::is_word_char);
}

void read_words(std::string_view part, const ShellForm& form, ShellListener& listener, int depth) {
    ShellReader(part, form, listener, depth).run();
}

}  // namespace shell
