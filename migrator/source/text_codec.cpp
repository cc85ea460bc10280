#include "migrator/source/text_codec.h"

#include <algorithm>

#include "base/format.h"
#include "base/utf8.h"
#include "migrator/source/encoding_table.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Result;

constexpr std::string_view kUtf8 = "utf-8";

void append_utf8(std::string& out, char32_t c) {
    if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
    } else {
        if (c < 0x10000) {
            out += static_cast<char>(0xE0 | (c >> 12));
        } else {
            out += static_cast<char>(0xF0 | (c >> 18));
            out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
        }
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    }
    out += static_cast<char>(0x80 | (c & 0x3F));
}

tl::unexpected<base::Error> not_decodable(const std::string& encoding, std::size_t offset) {
    return base::fail(ErrorKind::bad_input, "not valid " + encoding, base::format("byte {}", offset));
}

tl::unexpected<base::Error> not_encodable(std::string_view rest, const std::string& encoding) {
    const std::string_view character = rest.substr(0, std::max<std::size_t>(1, base::utf8_sequence_length(rest)));
    return base::fail(
        ErrorKind::unsupported,
        base::format("the character '{}' cannot be written in {}, the encoding of the file", character, encoding));
}

// Calls `convert` with the place of each character that is not ASCII and copies the rest; it gives the bytes that it has used,
// 0 to stop. Gives where it ended.
template <typename Convert>
std::size_t convert_text(std::string_view text, std::string& out, Convert convert) {
    out.reserve(text.size() + text.size() / 8);
    for (std::size_t at = 0;;) {
        const std::size_t plain = base::ascii_length(text.substr(at));
        out += text.substr(at, plain);
        at += plain;
        if (at == text.size()) return at;
        const std::size_t used = convert(text.substr(at));
        if (used == 0) return at;
        at += used;
    }
}

}  // namespace

Result<std::string> decode(std::string_view bytes, const std::string& encoding) {
    if (encoding == kUtf8) {
        for (std::size_t at = base::ascii_length(bytes); at < bytes.size();) {
            const std::size_t length = base::utf8_sequence_length(bytes.substr(at));
            if (length == 0) return not_decodable(encoding, at);
            at += length;
            at += base::ascii_length(bytes.substr(at));
        }
        return std::string(bytes);
    }
    const EncodingTable& table = EncodingTable::of(encoding);
    std::string out;
    const std::size_t end = convert_text(bytes, out, [&](std::string_view rest) -> std::size_t {
        const auto character = table.first(rest);
        if (!character) return 0;
        append_utf8(out, character->code_point);
        return character->bytes;
    });
    if (end < bytes.size()) return not_decodable(encoding, end);
    return out;
}

Result<std::string> encode_text(std::string_view text, const std::string& encoding) {
    if (encoding == kUtf8) return std::string(text);
    const EncodingTable& table = EncodingTable::of(encoding);
    std::string out;
    const std::size_t end = convert_text(text, out, [&](std::string_view rest) -> std::size_t {
        const std::size_t length = base::utf8_sequence_length(rest);
        return length > 0 && table.append(out, base::utf8_code_point(rest.substr(0, length))) ? length : 0;
    });
    if (end < text.size()) return not_encodable(text.substr(end), encoding);
    return out;
}

}  // namespace migrator
