// CppTokens: a C++ or CUDA source as words, strings and brackets. No compiler: a lexer that knows comments and literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace migrator {

struct CppToken {
    enum class Kind { word, string, other };
    Kind kind = Kind::other;
    std::string_view text;  // of a string: without quotes
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// The tokens of a source without its comments. `#include <x.h>` gives the tokens #, include, <, x, . ...
class CppTokens {
public:
    explicit CppTokens(std::string_view source);

    std::size_t size() const { return tokens_.size(); }
    const CppToken& operator[](std::size_t i) const { return tokens_[i]; }
    std::string_view source() const { return source_; }

    // Empty behind the last token.
    std::string_view text(std::size_t i) const { return i < tokens_.size() ? tokens_[i].text : std::string_view{}; }
    bool is_word(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == CppToken::Kind::word; }
    bool is_string(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == CppToken::Kind::string; }
    // Behind the bracket that closes the one at `open`; size() where there is none.
    std::size_t behind_brackets(std::size_t open) const { return behind_[open]; }

private:
    std::string_view source_;
    std::vector<CppToken> tokens_;
    std::vector<std::size_t> behind_;
};

}  // namespace migrator
