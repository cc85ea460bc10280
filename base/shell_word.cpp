#include "base/shell_word.h"

#include "base/format.h"
#include "base/printable.h"

namespace base {
namespace {

// Not '~', which stands for a home; nor ',', which looks like a slip in a list of words (shellcheck SC2054).
constexpr std::string_view kShellPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:./-";

// Of a shell that expands "!" while a person types, only '...' is safe from it.
bool is_plain_in_dollar_quotes(char c) { return c != '\\' && c != '\'' && c != '!'; }

std::string in_dollar_quotes(std::string_view text) {
    std::string out = "$'";
    while (!text.empty()) {
        const Shown shown = shown_character(text);
        const std::string_view character = text.substr(0, shown.bytes);
        if (shown.as_it_is && is_plain_in_dollar_quotes(text[0])) {
            out += character;
        } else {
            for (const char byte : character) out += format("\\{:03o}", static_cast<unsigned char>(byte));
        }
        text.remove_prefix(shown.bytes);
    }
    return out + "'";
}

}  // namespace

std::string shell_word(std::string_view text) {
    const bool is_plain = !text.empty() && text.find_first_not_of(kShellPlain) == text.npos;
    // zsh looks for a program of the name after "=".
    if (is_plain && !text.starts_with('=')) return std::string(text);
    if (printable(text) != text) return in_dollar_quotes(text);
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string shell_path(std::string_view path) {
    return shell_word(path.starts_with('-') ? "./" + std::string(path) : std::string(path));
}

std::string shell_paths(const std::vector<std::string>& paths) {
    std::string out;
    for (const std::string& path : paths) out += (out.empty() ? "" : " ") + shell_path(path);
    return out;
}

}  // namespace base
