#include "migrator/match/cpp_tokens.h"

#include <algorithm>

#include "base/text.h"

namespace migrator {
namespace {

class CppLexer {
public:
    explicit CppLexer(std::string_view text) : text_(text) {}

    std::vector<CppToken> run() {
        while (at_ < text_.size()) step();
        return std::move(tokens_);
    }

private:
    void step() {
        char c = text_[at_];
        std::string_view rest = text_.substr(at_);
        if (rest.starts_with("//")) at_ = std::min(text_.find('\n', at_), text_.size());
        else if (rest.starts_with("/*")) at_ = after("*/", at_ + 2);
        else if (rest.starts_with("R\"")) raw_string();
        else if (c == '"') quoted('"');
        else if (c == '\'') quoted('\'');
        else if (base::is_word_char(c)) word();
        else {
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r') add(CppToken::Kind::other, at_, at_ + 1);
            ++at_;
        }
    }

    std::size_t after(std::string_view what, std::size_t from) const {
        std::size_t found = text_.find(what, from);
        return found == text_.npos ? text_.size() : found + what.size();
    }

    void word() {
        std::size_t begin = at_;
        // 1'000 is one number
        while (at_ < text_.size() &&
               (base::is_word_char(text_[at_]) || (text_[at_] == '\'' && text_[begin] >= '0' && text_[begin] <= '9')))
            ++at_;
        add(CppToken::Kind::word, begin, at_);
    }

    void quoted(char quote) {
        std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
        at_ = std::min(at_ + 1, text_.size());
        if (quote == '"' && at_ - begin >= 2)
            tokens_.push_back({CppToken::Kind::string, text_.substr(begin + 1, at_ - begin - 2), begin, at_});
    }

    void raw_string() {
        std::size_t begin = at_;
        std::size_t open = text_.find('(', at_);
        if (open == text_.npos) {
            at_ = text_.size();
            return;
        }
        std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
        at_ = after(close, open);
        std::size_t end = std::max(open + 1, at_ - std::min(at_, close.size()));
        tokens_.push_back({CppToken::Kind::string, text_.substr(open + 1, end - open - 1), begin, at_});
    }

    void add(CppToken::Kind kind, std::size_t begin, std::size_t end) {
        tokens_.push_back({kind, text_.substr(begin, end - begin), begin, end});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<CppToken> tokens_;
};

}  // namespace

CppTokens::CppTokens(std::string_view source) : source_(source), tokens_(CppLexer(source).run()) {
    behind_.assign(tokens_.size(), tokens_.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (tokens_[i].kind != CppToken::Kind::other) continue;
        const char c = tokens_[i].text[0];
        if (c == '(' || c == '{' || c == '[') open.push_back(i);
        if ((c != ')' && c != '}' && c != ']') || open.empty()) continue;
        behind_[open.back()] = i + 1;
        open.pop_back();
    }
}

}  // namespace migrator
