// C++ and CUDA sources: no compiler, only a lexer that knows comments, strings and brackets.
#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "migrator/match/matchers.h"
#include "migrator/match/text_file.h"

namespace migrator {
namespace {

struct Token {
    enum class Kind { word, string, other };
    Kind kind = Kind::other;
    std::string_view text;  // of a string: without quotes
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// The source without comments. `#include <x.h>` gives the tokens #, include, <, x, . ...
class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> run() {
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
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r') add(Token::Kind::other, at_, at_ + 1);
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
        add(Token::Kind::word, begin, at_);
    }

    void quoted(char quote) {
        std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
        at_ = std::min(at_ + 1, text_.size());
        if (quote == '"' && at_ - begin >= 2)
            tokens_.push_back({Token::Kind::string, text_.substr(begin + 1, at_ - begin - 2), begin, at_});
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
        tokens_.push_back({Token::Kind::string, text_.substr(open + 1, end - open - 1), begin, at_});
    }

    void add(Token::Kind kind, std::size_t begin, std::size_t end) {
        tokens_.push_back({kind, text_.substr(begin, end - begin), begin, end});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

class SourceMatcher {
public:
    SourceMatcher(std::string_view text, const RuleSet& rules, FindingSink& sink)
        : tokens_(Lexer(text).run()), rules_(rules), sink_(sink) {
        pair_brackets();
        read_macros();
    }

    void run() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].kind != Token::Kind::word) continue;
            if (tokens_[i].text == "include" && i > 0 && text(i - 1) == "#" && text(i + 1) == "<")
                while (i < tokens_.size() && text(i) != ">") ++i;
            if (!is_word(i)) continue;
            symbol(i);
            for (const KernelRow& row : rules_.kernels) {
                if (base::contains(row.all, tokens_[i].text)) kernel(i, row);
            }
            for (const RegistrationRow& row : rules_.registrations) {
                if (base::contains(row.macros, tokens_[i].text)) block(i, row);
            }
        }
        for (SymbolUse& use : uses_) {
            add_use_count(use.finding, use.count);
            sink_.push_back(std::move(use.finding));
        }
    }

private:
    std::string_view text(std::size_t i) const { return i < tokens_.size() ? tokens_[i].text : std::string_view{}; }
    bool is_word(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::Kind::word; }

    // a::b::c, said once for every symbol, where the file uses it first.
    struct SymbolUse {
        Finding finding;
        std::size_t count = 1;
    };
    void symbol(std::size_t first) {
        if (first > 1 && text(first - 1) == ":" && text(first - 2) == ":") return;
        std::string spelled(text(first));
        std::size_t last = first;
        while (text(last + 1) == ":" && text(last + 2) == ":" && is_word(last + 3)) {
            last += 3;
            spelled += "::" + std::string(text(last));
        }
        const auto [known, fresh] = row_of_.try_emplace(std::move(spelled), nullptr);
        if (fresh) known->second = rules_.symbol(known->first);
        const SymbolRow* row = known->second;
        if (row == nullptr) return;
        const auto [at, is_new] = use_of_.emplace(row, uses_.size());
        if (!is_new) {
            ++uses_[at->second].count;
            return;
        }
        Finding finding = make_finding(*row->rule, {tokens_[first].begin, tokens_[last].end}, known->first,
                                       Certainty::likely, row->to, row->note, row->source);
        finding.effort = row->effort;
        uses_.push_back({std::move(finding)});
    }

    void pair_brackets() {
        behind_.assign(tokens_.size(), tokens_.size());
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].kind != Token::Kind::other) continue;
            const char c = tokens_[i].text[0];
            if (c == '(' || c == '{' || c == '[') open.push_back(i);
            if ((c != ')' && c != '}' && c != ']') || open.empty()) continue;
            behind_[open.back()] = i + 1;
            open.pop_back();
        }
    }

    // #define NAME "text"
    void read_macros() {
        for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
            const bool defines = text(i) == "#" && text(i + 1) == "define" && is_word(i + 2);
            if (defines && tokens_[i + 3].kind == Token::Kind::string) macros_.emplace(text(i + 2), text(i + 3));
        }
    }

    // Behind the bracket that closes the one at `open`.
    std::size_t skip_brackets(std::size_t open) const { return behind_[open]; }

    // __global__ void __launch_bounds__(256) name(...): the last word in front of the parameters
    void kernel(std::size_t marker, const KernelRow& row) {
        for (std::size_t i = marker + 1; i < tokens_.size() && i < marker + 64; ++i) {
            if (text(i) == ";" || text(i) == "{") return;
            if (text(i + 1) != "(" || !is_word(i)) continue;
            std::size_t behind = skip_brackets(i + 1);
            if (is_word(behind)) {  // an attribute with arguments
                i = behind - 1;
                continue;
            }
            sink_.push_back(make_finding(*row.rule, {tokens_[i].begin, tokens_[i].end}, std::string(text(i)),
                                         Certainty::resolved, {}, {}, {}));
            return;
        }
    }

    // MACRO(namespace, variable) { variable.method("name...", ...); }
    void block(std::size_t macro, const RegistrationRow& row) {
        if (text(macro + 1) != "(") return;
        std::size_t body = skip_brackets(macro + 1);
        if (text(body) != "{" || body < macro + 4) return;
        if (!row.keys.empty() && !base::contains(row.keys, text(macro + 4))) return;
        std::string library(text(macro + 2));
        std::string_view variable = text(body - 2);
        std::size_t end = skip_brackets(body);
        for (std::size_t i = body; i + 3 < end; ++i) {
            // Blocks do not lie in each other: a bracket is missing.
            if (is_word(i) && base::contains(row.macros, text(i))) return;
            // variable.method( or a chained ).method(
            bool call =
                text(i) == "." && is_word(i + 1) && text(i + 2) == "(" && base::contains(row.methods, text(i + 1));
            if (!call || (text(i - 1) != variable && text(i - 1) != ")")) continue;
            operator_name(i + 3, library, row);
        }
    }

    void operator_name(std::size_t at, const std::string& library, const RegistrationRow& row) {
        if (is_word(at) && (text(at + 1) == "," || text(at + 1) == ")")) {
            const auto macro = macros_.find(text(at));
            add_operator(at, macro == macros_.end() ? text(at) : macro->second, library, row);
            return;
        }
        while (is_word(at) || text(at) == "(" || text(at) == ":") ++at;  // MACRO("...") around the name
        if (at >= tokens_.size() || tokens_[at].kind != Token::Kind::string) return;
        add_operator(at, text(at), library, row);
    }

    void add_operator(std::size_t at, std::string_view schema, const std::string& library, const RegistrationRow& row) {
        std::string_view name = schema.substr(0, schema.find_first_of("( "));
        std::string subject = row.namespaced ? library + "::" + std::string(name) : std::string(name);
        sink_.push_back(make_finding(*row.rule, {tokens_[at].begin, tokens_[at].end}, std::move(subject),
                                     Certainty::resolved, {}, {}, {}));
    }

    std::vector<Token> tokens_;
    std::vector<std::size_t> behind_;                      // by token: a bracket's skip_brackets
    std::map<std::string_view, std::string_view> macros_;  // the first text of each
    const RuleSet& rules_;
    FindingSink& sink_;
    std::vector<SymbolUse> uses_;
    std::map<const SymbolRow*, std::size_t> use_of_;
    std::map<std::string, const SymbolRow*> row_of_;  // by spelling
};

// A copy with comments blanked out, so that words in them are not found.
std::string without_comments(std::string_view text) {
    std::string out(text.size(), ' ');
    for (const Token& token : Lexer(text).run()) {
        std::copy(text.begin() + static_cast<std::ptrdiff_t>(token.begin),
                  text.begin() + static_cast<std::ptrdiff_t>(token.end),
                  out.begin() + static_cast<std::ptrdiff_t>(token.begin));
    }
    return out;
}

}  // namespace

void match_cuda_source(const SourceFile& file, std::string_view text, const MatchContext& context, FindingSink& sink) {
    SourceMatcher(text, *context.rules, sink).run();
    std::string code = without_comments(text);
    TextContents contents{code, 0, {code}, {}, {}, {}};
    match_text_words({file.path, file.type, context.rules, nullptr, std::move(contents)}, sink);
    if (sink.empty()) match_named_file(file, context, sink);
}

}  // namespace migrator
