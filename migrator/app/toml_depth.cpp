#include "migrator/app/toml_depth.h"

#include <algorithm>

namespace migrator {
namespace {

// Bytes of the string at the start of the text, with its quotes; without an end it goes up to that of the line, or of
// the text when it has three quotes.
std::size_t string_length(std::string_view text) {
    const char quote = text.front();
    const bool is_long = text.size() >= 3 && text[1] == quote && text[2] == quote;
    const std::string_view end = text.substr(0, is_long ? 3 : 1);
    for (std::size_t at = end.size(); at < text.size(); ++at) {
        if (!is_long && text[at] == '\n') return at;
        if (text.substr(at).starts_with(end)) return at + end.size();
        if (quote == '"' && text[at] == '\\') ++at;
    }
    return text.size();
}

}  // namespace

std::optional<std::uint64_t> deep_toml_key(std::string_view text) {
    constexpr std::string_view kEndsOfKeys = "=,[]{}\n";
    std::uint64_t line = 1;
    std::size_t parts = 1;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        std::size_t length = 1;
        if (c == '"' || c == '\'') length = string_length(text.substr(at));
        else if (c == '#') length = std::min(text.find('\n', at), text.size()) - at;
        else if (c == '.' && ++parts > kMaxTomlKeyParts) return line;
        else if (kEndsOfKeys.find(c) != kEndsOfKeys.npos) parts = 1;
        const std::string_view token = text.substr(at, length);
        line += static_cast<std::uint64_t>(std::count(token.begin(), token.end(), '\n'));
        at += length;
    }
    return std::nullopt;
}

}  // namespace migrator
