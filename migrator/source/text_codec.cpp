#include "migrator/source/text_codec.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Result;

constexpr char32_t kNone = 0xFFFFFFFF;

void append_utf8(std::string& out, char32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out += static_cast<char>(0xE0 | (c >> 12));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    }
}

// One byte per character: the 128 characters of the upper half.
using UpperHalf = std::array<char32_t, 128>;

constexpr UpperHalf latin_1() {
    UpperHalf out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<char32_t>(0x80 + i);
    return out;
}

constexpr UpperHalf latin_9() {
    UpperHalf out = latin_1();
    out[0x24] = 0x20AC;
    out[0x26] = 0x160;
    out[0x28] = 0x161;
    out[0x34] = 0x17D;
    out[0x38] = 0x17E;
    out[0x3C] = 0x152;
    out[0x3D] = 0x153;
    out[0x3E] = 0x178;
    return out;
}

// Python refuses the five bytes that Windows leaves undefined.
constexpr UpperHalf windows_1252() {
    constexpr std::array<char32_t, 32> kFirst{0x20AC, kNone,  0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                              0x2C6,  0x2030, 0x160,  0x2039, 0x152,  kNone,  0x17D,  kNone,
                                              kNone,  0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                              0x2DC,  0x2122, 0x161,  0x203A, 0x153,  kNone,  0x17E,  0x178};
    UpperHalf out = latin_1();
    for (std::size_t i = 0; i < kFirst.size(); ++i) out[i] = kFirst[i];
    return out;
}

constexpr UpperHalf ascii_only() {
    UpperHalf out{};
    for (char32_t& c : out) c = kNone;
    return out;
}

const UpperHalf* upper_half(std::string_view encoding) {
    static constexpr UpperHalf kLatin1 = latin_1();
    static constexpr UpperHalf kLatin9 = latin_9();
    static constexpr UpperHalf kWindows1252 = windows_1252();
    static constexpr UpperHalf kAscii = ascii_only();
    if (encoding == "iso-8859-1") return &kLatin1;
    if (encoding == "iso-8859-15") return &kLatin9;
    if (encoding == "cp1252") return &kWindows1252;
    if (encoding == "ascii") return &kAscii;
    return nullptr;
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

Result<std::string> decode_single_byte(std::string_view bytes, const UpperHalf& upper, const std::string& encoding) {
    std::string out;
    out.reserve(bytes.size() + bytes.size() / 8);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        const char32_t c = byte < 0x80 ? byte : upper[byte - 0x80];
        if (c == kNone) return not_decodable(encoding, i);
        append_utf8(out, c);
    }
    return out;
}

// The code point of a well-formed sequence.
char32_t code_point(std::string_view sequence) {
    constexpr std::array<unsigned char, 5> kLeadBits{0, 0x7F, 0x1F, 0x0F, 0x07};
    auto c = static_cast<char32_t>(static_cast<unsigned char>(sequence[0]) & kLeadBits[sequence.size()]);
    for (const char next : sequence.substr(1)) c = c << 6 | (static_cast<unsigned char>(next) & 0x3F);
    return c;
}

Result<std::string> encode_single_byte(std::string_view text, const UpperHalf& upper, const std::string& encoding) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = base::utf8_sequence_length(text);
        if (length == 1) {
            out += text[0];
        } else {
            if (length == 0) return not_encodable(text, encoding);
            const auto* const found = std::find(upper.begin(), upper.end(), code_point(text.substr(0, length)));
            if (found == upper.end()) return not_encodable(text, encoding);
            out += static_cast<char>(0x80 + (found - upper.begin()));
        }
        text.remove_prefix(length);
    }
    return out;
}

class Converter {
public:
    Converter(const std::string& to, const std::string& from) : handle_(iconv_open(to.c_str(), from.c_str())) {}
    ~Converter() {
        if (is_open()) iconv_close(handle_);
    }
    Converter(const Converter&) = delete;
    Converter& operator=(const Converter&) = delete;

    bool is_open() const { return handle_ != kClosed; }

    // Appends to `out` until the input ends or a sequence cannot be converted; gives the number of bytes used.
    std::size_t convert(std::string_view in, std::string& out) {
        char* source = const_cast<char*>(in.data());  // iconv's signature; it does not write
        std::size_t source_left = in.size();
        std::array<char, 16384> buffer{};
        while (source_left > 0) {
            char* target = buffer.data();
            std::size_t target_left = buffer.size();
            const std::size_t result = iconv(handle_, &source, &source_left, &target, &target_left);
            const int error = errno;
            out.append(buffer.data(), buffer.size() - target_left);
            if (result == static_cast<std::size_t>(-1) && error != E2BIG) break;
        }
        return in.size() - source_left;
    }

private:
    static inline const iconv_t kClosed = reinterpret_cast<iconv_t>(-1);  // NOLINT: iconv's error value
    iconv_t handle_;
};

// The C library's name where it differs from ours.
std::string library_name(const std::string& encoding) { return encoding == "cp949" ? "UHC" : encoding; }

tl::unexpected<base::Error> no_converter(const std::string& encoding) {
    return base::fail(ErrorKind::unsupported,
                      base::format("this machine's C library has no converter for {}; install its "
                                   "gconv modules, or save the file as utf-8",
                                   encoding));
}

}  // namespace

Result<std::string> decode(std::string_view bytes, const std::string& encoding) {
    if (encoding == "utf-8") {
        for (std::size_t at = base::ascii_length(bytes); at < bytes.size();) {
            const std::size_t length = base::utf8_sequence_length(bytes.substr(at));
            if (length == 0) return not_decodable(encoding, at);
            at += length;
            at += base::ascii_length(bytes.substr(at));
        }
        return std::string(bytes);
    }
    if (const UpperHalf* upper = upper_half(encoding)) return decode_single_byte(bytes, *upper, encoding);
    Converter converter("UTF-8", library_name(encoding));
    if (!converter.is_open()) return no_converter(encoding);
    std::string out;
    const std::size_t used = converter.convert(bytes, out);
    if (used != bytes.size()) return not_decodable(encoding, used);
    return out;
}

Result<std::string> encode_text(std::string_view text, const std::string& encoding) {
    if (encoding == "utf-8") return std::string(text);
    if (const UpperHalf* upper = upper_half(encoding)) return encode_single_byte(text, *upper, encoding);
    Converter converter(library_name(encoding), "UTF-8");
    if (!converter.is_open()) return no_converter(encoding);
    std::string out;
    const std::size_t used = converter.convert(text, out);
    if (used != text.size()) return not_encodable(text.substr(used), encoding);
    return out;
}

}  // namespace migrator
