#include "migrator/semantic/string_literal.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace migrator {
namespace {

constexpr char32_t kMaxCodePoint = 0x10FFFF;

bool append_utf8(std::string& out, char32_t c) {
    if (c > kMaxCodePoint || (c >= 0xD800 && c <= 0xDFFF)) return false;
    if (c < 0x80) {
        out += static_cast<char>(c);
        return true;
    }
    const int tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr std::array<unsigned char, 4> kLead{0, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(kLead[static_cast<std::size_t>(tail)] | (c >> (6 * tail)));
    for (int shift = 6 * (tail - 1); shift >= 0; shift -= 6) out += static_cast<char>(0x80 | ((c >> shift) & 0x3F));
    return true;
}

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
}

// Up to `most` digits of the base at the front of `text`, which are removed; nullopt when there are fewer than `least`.
std::optional<char32_t> take_number(std::string_view& text, int base, std::size_t least, std::size_t most) {
    char32_t value = 0;
    std::size_t count = 0;
    while (count < most && count < text.size() && digit_value(text[count]) < base) {
        value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit_value(text[count++]));
    }
    if (count < least) return std::nullopt;
    text.remove_prefix(count);
    return value;
}

// The number of an escape like \x41, behind the letter; nullopt when it is none.
std::optional<char32_t> take_numeric_escape(char letter, std::string_view& text) {
    switch (letter) {
        case 'x': return take_number(text, 16, 2, 2);
        case 'u': return take_number(text, 16, 4, 4);
        case 'U': return take_number(text, 16, 8, 8);
        default: return std::nullopt;
    }
}

constexpr auto kSimpleEscapes = std::to_array<std::pair<char, char>>({{'\\', '\\'},
                                                                      {'\'', '\''},
                                                                      {'"', '"'},
                                                                      {'a', '\a'},
                                                                      {'b', '\b'},
                                                                      {'f', '\f'},
                                                                      {'n', '\n'},
                                                                      {'r', '\r'},
                                                                      {'t', '\t'},
                                                                      {'v', '\v'}});

// One escape; `text` starts behind the backslash. False when its value cannot be given.
bool take_escape(std::string_view& text, std::string& out) {
    const char letter = text.front();
    if (digit_value(letter) < 8) return append_utf8(out, *take_number(text, 8, 1, 3));
    text.remove_prefix(1);
    if (letter == '\n') return true;
    if (letter == '\r') {
        if (text.starts_with('\n')) text.remove_prefix(1);
        return true;
    }
    if (letter == 'x' || letter == 'u' || letter == 'U') {
        const auto value = take_numeric_escape(letter, text);
        return value && append_utf8(out, *value);
    }
    if (letter == 'N') return false;
    const auto* simple = std::ranges::find(kSimpleEscapes, letter, &std::pair<char, char>::first);
    if (simple != kSimpleEscapes.end()) {
        out += simple->second;
        return true;
    }
    // An unknown escape stands for itself.
    out += '\\';
    out += letter;
    return true;
}

bool append_content(std::string_view text, bool raw, bool format, std::string& out) {
    while (!text.empty()) {
        const char c = text.front();
        text.remove_prefix(1);
        if (c == '\\' && !raw && !text.empty()) {
            if (!take_escape(text, out)) return false;
        } else if (c == '\r') {
            // Python reads every line end as "\n".
            if (text.starts_with('\n')) text.remove_prefix(1);
            out += '\n';
        } else {
            // "{{" and "}}" of an f-string.
            if (format && (c == '{' || c == '}') && text.starts_with(c)) text.remove_prefix(1);
            out += c;
        }
    }
    return true;
}

bool append_literal(const SyntaxTree& tree, NodeId node, std::string& out) {
    const NodeId first = tree.first_child(node);
    if (tree.kind(node) != NodeKind::string || first == kNoNode || tree.kind(first) != NodeKind::string_start)
        return false;
    bool raw = false;
    bool format = false;
    for (const char c : tree.text(first)) {
        if (c == 'b' || c == 'B' || c == 't' || c == 'T') return false;
        raw = raw || c == 'r' || c == 'R';
        format = format || c == 'f' || c == 'F';
    }
    NodeId last = first;
    for (NodeId at = first; at != kNoNode; at = tree.next_sibling(at)) {
        if (tree.kind(at) == NodeKind::interpolation || tree.kind(at) == NodeKind::error) return false;
        last = at;
    }
    if (tree.kind(last) != NodeKind::string_end || tree.missing(last)) return false;
    const std::uint64_t begin = tree.range(first).end;
    return append_content(tree.source().substr(begin, tree.range(last).begin - begin), raw, format, out);
}

}  // namespace

std::optional<std::string> string_literal_value(const SyntaxTree& tree, NodeId expression) {
    std::string out;
    while (expression != kNoNode && tree.kind(expression) == NodeKind::parenthesized_expression) {
        const NodeList parts = tree.named_children(expression);
        expression = parts.size() == 1 ? parts.front() : kNoNode;
    }
    if (expression == kNoNode) return std::nullopt;
    if (tree.kind(expression) != NodeKind::concatenated_string) {
        if (!append_literal(tree, expression, out)) return std::nullopt;
        return out;
    }
    for (const NodeId part : tree.named_children(expression)) {
        const NodeKind kind = tree.kind(part);
        if (kind == NodeKind::comment || kind == NodeKind::line_continuation) continue;
        if (!append_literal(tree, part, out)) return std::nullopt;
    }
    return out;
}

}  // namespace migrator
