#include "migrator/profile/json_tokens.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace migrator {
namespace {

constexpr std::array<bool, 256> characters(std::string_view all) {
    std::array<bool, 256> out{};
    for (const char c : all) out[static_cast<unsigned char>(c)] = true;
    return out;
}
constexpr auto kStructure = characters("\"[]{}");
constexpr auto kOfWords = characters("+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

bool is_one_of(const std::array<bool, 256>& all, char c) { return all[static_cast<unsigned char>(c)]; }

// Of the four digits behind "\u"; -1: they are none.
int code_unit(std::string_view text, std::size_t at) {
    unsigned unit = 0;
    if (at + 4 > text.size()) return -1;
    const auto read = std::from_chars(text.data() + at, text.data() + at + 4, unit, 16);
    return read.ptr == text.data() + at + 4 ? static_cast<int>(unit) : -1;
}

// `at` is behind "\u" and is moved past what was read. Half of a pair alone is U+FFFD.
std::uint32_t code_point(std::string_view text, std::size_t& at) {
    const int first = code_unit(text, at);
    if (first < 0) return 0xfffd;
    at += 4;
    if (first < 0xd800 || first > 0xdfff) return static_cast<std::uint32_t>(first);
    const int second = text.substr(at, 2) == "\\u" ? code_unit(text, at + 2) : -1;
    if (first > 0xdbff || second < 0xdc00 || second > 0xdfff) return 0xfffd;
    at += 6;
    return 0x10000 + ((static_cast<std::uint32_t>(first) - 0xd800) << 10) +
           (static_cast<std::uint32_t>(second) - 0xdc00);
}

void append_utf8(std::string& out, std::uint32_t point) {
    const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
    if (point < 0x80) return byte(point);
    if (point < 0x800) {
        byte(0xc0 | (point >> 6));
    } else {
        if (point < 0x10000) {
            byte(0xe0 | (point >> 12));
        } else {
            byte(0xf0 | (point >> 18));
            byte(0x80 | ((point >> 12) & 0x3f));
        }
        byte(0x80 | ((point >> 6) & 0x3f));
    }
    byte(0x80 | (point & 0x3f));
}

}  // namespace

bool JsonCursor::skip_string() {
    const char* const begin = ++at_;
    for (;;) {
        const void* quote = std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_));
        if (quote == nullptr) {
            at_ = end_;
            return fail(State::cut);
        }
        at_ = static_cast<const char*>(quote) + 1;
        const char* slash = at_ - 1;
        while (slash != begin && slash[-1] == '\\') --slash;
        if ((at_ - 1 - slash) % 2 == 0) return true;
    }
}

bool JsonCursor::skip_nested() {
    std::uint64_t lists = 0;  // one bit for each open level: whether it is a list
    int depth = 0;
    for (;;) {
        while (at_ != end_ && !is_one_of(kStructure, *at_)) ++at_;
        if (at_ == end_) return fail(State::cut);
        switch (*at_) {
            case '"':
                if (!skip_string()) return false;
                continue;
            case '{':
            case '[':
                if (depth++ == kMaxJsonDepth) return fail(State::bad);
                lists = (lists << 1) | (*at_ == '[' ? 1u : 0u);
                break;
            default:
                if ((lists & 1u) != (*at_ == ']' ? 1u : 0u)) return fail(State::bad);
                lists >>= 1;
                if (--depth == 0) {
                    ++at_;
                    return true;
                }
        }
        ++at_;
    }
}

bool JsonCursor::skip_word() {
    const char* const begin = at_;
    while (at_ != end_ && is_one_of(kOfWords, *at_)) ++at_;
    if (at_ == end_) return fail(State::cut);
    return at_ != begin || fail(State::bad);
}

std::string_view JsonCursor::value() {
    const char first = peek();
    const char* const begin = at_;
    if (state_ != State::good) return {};
    const bool is_good = first == '"' ? skip_string() : first == '{' || first == '[' ? skip_nested() : skip_word();
    return is_good ? std::string_view(begin, static_cast<std::size_t>(at_ - begin)) : std::string_view();
}

std::string_view JsonCursor::key() {
    if (peek() != '"') {
        if (state_ == State::good) state_ = State::bad;
        return {};
    }
    const std::string_view token = value();
    return token.empty() ? token : unquoted(token);
}

std::string_view unescaped(std::string_view text, std::string& scratch) {
    if (text.find('\\') == text.npos) return text;
    scratch.clear();
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\' || at + 1 == text.size()) {
            scratch += text[at];
            continue;
        }
        const char escaped = text[++at];
        if (escaped == 'u') {
            ++at;
            append_utf8(scratch, code_point(text, at));
            --at;
        } else {
            constexpr std::string_view kEscapes = "nrtbf", kMeant = "\n\r\t\b\f";
            const std::size_t which = kEscapes.find(escaped);
            scratch += which == kEscapes.npos ? escaped : kMeant[which];
        }
    }
    return scratch;
}

}  // namespace migrator
