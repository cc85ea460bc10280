#include "ckpt_convert/launch/written_text.h"

#include "base/format.h"
#include "base/utf8.h"

namespace ckpt {
namespace {

// What YAML takes as it stands, without what ends or begins a line or a file.
bool is_printable(std::uint32_t point) {
    constexpr std::uint32_t kLineSeparator = 0x2028, kParagraphSeparator = 0x2029, kByteOrderMark = 0xfeff;
    const bool is_control = point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xfffe || point == 0xffff;
    return !is_control && point != kLineSeparator && point != kParagraphSeparator && point != kByteOrderMark;
}

}  // namespace

std::string in_default(std::string_view text) {
    constexpr std::string_view kSpecial = "\"$`\\}";
    std::string out;
    for (const char c : text) {
        // A single quote would begin a quotation, which no backslash prevents; in double quotes of its own it is itself.
        if (c == '\'') {
            out += "\"'\"";
            continue;
        }
        if (kSpecial.find(c) != kSpecial.npos) out += '\\';
        out += c;
    }
    return out;
}

Result<std::string> yaml_scalar(std::string_view text) {
    if (!base::is_valid_utf8(text))
        return base::fail(ErrorKind::unsupported,
                          "the path has bytes that are not UTF-8, which no YAML file can name; rename the directory",
                          std::string(text));
    std::string out = "\"";
    while (!text.empty()) {
        const std::string_view character = text.substr(0, base::utf8_sequence_length(text));
        const std::uint32_t point = base::utf8_code_point(character);
        if (!is_printable(point)) out += base::format("\\u{:04x}", point);
        else if (character == "\"" || character == "\\") out += base::format("\\{}", character);
        else out += character;
        text.remove_prefix(character.size());
    }
    return out + "\"";
}

}  // namespace ckpt
