// Parameters and results of C++ functions and of schemas, as far as their text tells.
#include <algorithm>

#include "migrator/match/cpp_signature.h"

namespace migrator {
namespace {

std::string text_between(const CppTokens& tokens, std::size_t begin, std::size_t end) {
    if (begin >= end || begin >= tokens.size()) return {};
    std::string out;
    const std::uint64_t from = tokens[begin].begin;
    bool blank = false;
    for (const char c : tokens.source().substr(from, tokens[end - 1].end - from)) {
        const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!is_blank && blank && !out.empty()) out += ' ';
        if (!is_blank) out += c;
        blank = is_blank;
    }
    return out;
}

// Behind the parameter that begins at `at`: its comma, or `end`. A `<` opens brackets only in front of its `>`.
std::size_t end_of_parameter(const CppTokens& tokens, std::size_t at, std::size_t end) {
    std::size_t angles = 0;
    while (at < end) {
        const std::string_view c = tokens.text(at);
        if (c == "<") ++angles;
        else if (c == ">" && angles > 0 && tokens.text(at - 1) != "-") --angles;
        else if (c == "," && angles == 0) return at;
        const bool opens = !tokens.is_string(at) && (c == "(" || c == "[" || c == "{");
        at = opens ? std::min(tokens.behind_brackets(at), end) : at + 1;
    }
    return end;
}

CppParameter parameter(const CppTokens& tokens, std::size_t begin, std::size_t end) {
    CppParameter out;
    std::size_t equals = begin;
    while (equals < end && tokens.text(equals) != "=") ++equals;
    if (equals < end) out.fallback = text_between(tokens, equals + 1, end);
    // The last word is the name, unless it is all of the type.
    const std::size_t last = equals - 1;
    const bool named = last > begin && tokens.is_word(last) && tokens.text(last - 1) != ":" &&
                       !(last == begin + 1 && tokens.text(begin) == "const");
    if (named) out.name = tokens.text(last);
    out.type = text_between(tokens, begin, named ? last : equals);
    return out;
}

}  // namespace

std::vector<CppParameter> cpp_parameters(const CppTokens& tokens, std::size_t open) {
    std::vector<CppParameter> out;
    const std::size_t behind = tokens.behind_brackets(open);
    const std::size_t end = tokens.text(behind - 1) == ")" ? behind - 1 : behind;
    for (std::size_t at = open + 1; at < end;) {
        const std::size_t next = end_of_parameter(tokens, at, end);
        const bool is_marker = next == at || (next == at + 1 && (tokens.text(at) == "*" || tokens.text(at) == "void"));
        if (!is_marker) out.push_back(parameter(tokens, at, next));
        at = next + 1;
    }
    return out;
}

std::string cpp_text(const CppTokens& tokens, std::size_t begin, std::size_t end) {
    return text_between(tokens, begin, end);
}

CppSignature schema_signature(std::string_view schema) {
    CppSignature out;
    const CppTokens tokens(schema);
    std::size_t open = 0;
    while (open < tokens.size() && tokens.text(open) != "(") ++open;
    if (open == tokens.size()) return out;
    out.known = out.is_schema = true;
    out.parameters = cpp_parameters(tokens, open);
    const std::size_t behind = tokens.behind_brackets(open);
    if (tokens.text(behind) == "-" && tokens.text(behind + 1) == ">")
        out.result = text_between(tokens, behind + 2, tokens.size());
    return out;
}

}  // namespace migrator
