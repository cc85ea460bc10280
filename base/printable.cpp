#include "base/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace base {
namespace {

struct Range {
    std::uint32_t first, last;
};

// Beyond ASCII, in order. https://www.unicode.org/reports/tr36/ (spoofing), https://trojansource.codes (directions)
constexpr std::array kHidden{
    Range{0x80, 0x9F},        // C1
    Range{0xAD, 0xAD},        // soft hyphen
    Range{0x61C, 0x61C},      // Arabic letter mark
    Range{0x180E, 0x180E},    // vowel separator without width
    Range{0x200B, 0x200F},    // no width; marks of direction
    Range{0x2028, 0x202E},    // separators; embeddings and overrides of direction
    Range{0x2060, 0x206F},    // no width; isolates
    Range{0xFEFF, 0xFEFF},    // byte order mark
    Range{0xFFF9, 0xFFFB},    // annotations
    Range{0xFFFE, 0xFFFF},    // no characters
    Range{0xE0000, 0xE007F},  // tags
};

bool is_kept(char c) { return c >= ' ' && c < 0x7f && c != '\\'; }

bool begins_escape(std::string_view text) {
    return text.starts_with("\\x") || text.starts_with("\\u") || text.starts_with("\\U");
}

// As shown_character, for a line of its own or for one of several.
Shown character_of_line(std::string_view text) { return begins_escape(text) ? Shown{1, false} : shown_character(text); }

Shown character_of_lines(std::string_view text) {
    if (text.starts_with("\r\n")) return {2, true};
    if (text[0] == '\n' || text[0] == '\t') return {1, true};
    return shown_character(text);
}

void append_escape(std::string& out, std::string_view character) {
    if (character.size() == 1) out += format("\\x{:02x}", static_cast<unsigned char>(character[0]));
    else if (const auto code = utf8_code_point(character); code < 0x10000) out += format("\\u{:04x}", code);
    else out += format("\\U{:08x}", code);
}

std::string escaped(std::string_view text, Shown (*next)(std::string_view)) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_kept(text[end])) ++end;
        out += text.substr(at, end - at);  // nearly always all of it
        const std::string_view rest = text.substr(at = end);
        if (rest.empty()) break;
        const Shown shown = next(rest);
        if (shown.as_it_is) out += rest.substr(0, shown.bytes);
        else append_escape(out, rest.substr(0, shown.bytes));
        at += shown.bytes;
    }
    return out;
}

}  // namespace

Shown shown_character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {1, lead >= ' ' && lead != 0x7f};
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) return {};
    const std::uint32_t code = utf8_code_point(text.substr(0, length));
    const bool hidden = std::any_of(kHidden.begin(), kHidden.end(),
                                    [code](Range range) { return range.first <= code && code <= range.last; });
    return {length, !hidden};
}

std::string printable(std::string_view text) { return escaped(text, character_of_line); }
std::string printable_lines(std::string_view text) { return escaped(text, character_of_lines); }

}  // namespace base
