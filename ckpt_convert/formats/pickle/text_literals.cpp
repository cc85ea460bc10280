#include "ckpt_convert/formats/pickle/text_literals.h"

#include <charconv>
#include <cstdint>

#include "base/utf8.h"

namespace ckpt::pickle {
namespace {

std::optional<std::uint32_t> number(std::string_view digits, int base) {
    std::uint32_t value = 0;
    auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (problem != std::errc{} || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
    return value;
}

void append_utf8(std::string& out, std::uint32_t c) {
    auto push = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) {
        push(c);
    } else if (c < 0x800) {
        push(0xC0 | c >> 6);
        push(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        push(0xE0 | c >> 12);
        push(0x80 | (c >> 6 & 0x3F));
        push(0x80 | (c & 0x3F));
    } else {
        push(0xF0 | (c >> 18 & 0x07));
        push(0x80 | (c >> 12 & 0x3F));
        push(0x80 | (c >> 6 & 0x3F));
        push(0x80 | (c & 0x3F));
    }
}

// The byte for one-character escapes; nullopt for those that Python leaves as they are.
std::optional<char> simple_escape(char c) {
    switch (c) {
        case 'n': return '\n';
        case 't': return '\t';
        case 'r': return '\r';
        case 'a': return '\a';
        case 'b': return '\b';
        case 'f': return '\f';
        case 'v': return '\v';
        case '\\':
        case '\'':
        case '"': return c;
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<std::string> bytes_from_literal(std::string_view literal) {
    if (literal.size() < 2 || literal.front() != literal.back() ||
        (literal.front() != '\'' && literal.front() != '"')) {
        return std::nullopt;
    }
    std::string_view text = literal.substr(1, literal.size() - 2);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        if (++i == text.size()) return std::nullopt;
        if (auto byte = simple_escape(text[i])) {
            out += *byte;
        } else if (text[i] == 'x') {
            auto value = number(text.substr(i + 1, 2), 16);
            if (!value || i + 2 >= text.size()) return std::nullopt;
            out += static_cast<char>(*value);
            i += 2;
        } else if (text[i] >= '0' && text[i] <= '7') {
            std::size_t digits = 1;
            while (digits < 3 && i + digits < text.size() && text[i + digits] >= '0' && text[i + digits] <= '7')
                ++digits;
            out += static_cast<char>(*number(text.substr(i, digits), 8) & 0xFF);
            i += digits - 1;
        } else {
            out += '\\';
            out += text[i];
        }
    }
    return out;
}

std::optional<std::string> utf8_from_raw_escapes(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::size_t digits = text[i] != '\\' || i + 1 >= text.size() ? 0
                             : text[i + 1] == 'u'                    ? 4
                             : text[i + 1] == 'U'                    ? 8
                                                                     : 0;
        if (digits == 0) {
            append_utf8(out, static_cast<unsigned char>(text[i]));
            continue;
        }
        auto value = number(text.substr(i + 2, digits), 16);
        if (!value || i + 2 + digits > text.size() || *value > 0x10FFFF) return std::nullopt;
        append_utf8(out, *value);
        i += 1 + digits;
    }
    // Surrogates pass the above.
    if (!base::is_valid_utf8(out)) return std::nullopt;
    return out;
}

}  // namespace ckpt::pickle
