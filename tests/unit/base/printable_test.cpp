#include <string>

#include <doctest/doctest.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/result.h"
#include "base/utf8.h"

using base::printable;
using base::printable_lines;

namespace {

unsigned long hex(std::string_view digits) { return std::stoul(std::string(digits), nullptr, 16); }

// The text back from what printable has made of it, as the header says.
std::string read_back(std::string_view shown) {
    std::string out;
    for (std::size_t at = 0; at < shown.size();) {
        const std::string_view rest = shown.substr(at);
        std::size_t digits = rest.starts_with("\\x")   ? 2
                             : rest.starts_with("\\u") ? 4
                             : rest.starts_with("\\U") ? 8
                                                       : 0;
        if (digits == 0) {
            out += rest[0];
            ++at;
            continue;
        }
        const unsigned long code = hex(rest.substr(2, digits));
        if (digits == 2 || code < 0x80) {
            out += static_cast<char>(code);
        } else {
            std::string json = "\"";
            if (code >= 0x10000) {
                json += base::format("\\u{:04x}", 0xD800 + ((code - 0x10000) >> 10));
                json += base::format("\\u{:04x}", 0xDC00 + ((code - 0x10000) & 0x3FF));
            } else {
                json += base::format("\\u{:04x}", code);
            }
            out += *base::parse_json(json + "\"", "")->root.string();
        }
        at += 2 + digits;
    }
    return out;
}

// A UTF-8 sequence, well-formed or not, from numbers that look random.
std::string hostile_text(std::uint64_t& state) {
    static const std::string kPieces[] = {"a",
                                          "\\",
                                          "x",
                                          "u",
                                          "U",
                                          "1b",
                                          "\x1b",
                                          std::string(1, '\0'),
                                          "\n",
                                          "\r\n",
                                          "\t",
                                          "\x7f",
                                          "\xC2\x9B",
                                          "\x9B",
                                          "\xE2\x80\xAE",
                                          "\xE2\x80\x8B",
                                          "\xE6\x9D\x83",
                                          "\xF3\xA0\x81\x81",
                                          "\xED\xA0\x80",
                                          "\xEF\xBB\xBF"};
    std::string out;
    for (int i = 0; i < 12; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        out += kPieces[(state >> 33) % std::size(kPieces)];
    }
    return out;
}

bool is_shown(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const base::Shown shown = base::shown_character(text.substr(at));
        if (!shown.as_it_is) return false;
        at += shown.bytes;
    }
    return true;
}

}  // namespace

TEST_CASE("printable: what commands a terminal, turns or hides text is escaped; other text stays") {
    CHECK(printable("plain text, 100% \xE6\x9D\x83\xE9\x87\x8D/\xC3\xA9.bin") ==
          "plain text, 100% \xE6\x9D\x83\xE9\x87\x8D/\xC3\xA9.bin");
    CHECK(printable("\x1b[31mred\x1b]0;title\x07") == "\\x1b[31mred\\x1b]0;title\\x07");
    CHECK(printable("two\nlines\r\n\tand a tab") == "two\\x0alines\\x0d\\x0a\\x09and a tab");
    CHECK(printable(std::string_view("x/a\0b", 5)) == "x/a\\x00b");
    CHECK(printable("\x7f") == "\\x7f");
    CHECK(printable("\xC2\x9B"
                    "31m") == "\\u009b31m");
    CHECK(printable("gpj.\xE2\x80\xAE"
                    "exe") == "gpj.\\u202eexe");
    CHECK(printable("\xE2\x81\xA6\xE2\x80\x8B\xE2\x80\xA8\xEF\xBB\xBF") == "\\u2066\\u200b\\u2028\\ufeff");
    CHECK(printable("\xF3\xA0\x81\x81") == "\\U000e0041");
    CHECK(printable("caf\xE9 \xC0\xAF \xED\xA0\x80") == "caf\\xe9 \\xc0\\xaf \\xed\\xa0\\x80");
}

TEST_CASE("printable: a backslash stays where it cannot be taken for an escape") {
    CHECK(printable("C:\\data \\d+ \\n") == "C:\\data \\d+ \\n");
    CHECK(printable("\\x1b \\u202e \\U0") == "\\x5cx1b \\x5cu202e \\x5cU0");
    CHECK(printable("\\\x1b") == "\\\\x1b");
}

TEST_CASE("printable: any text can be had back, and nothing is left to escape") {
    std::uint64_t state = 1;
    for (int i = 0; i < 2000; ++i) {
        const std::string text = hostile_text(state);
        const std::string shown = printable(text);
        CHECK(is_shown(shown));
        CHECK(read_back(shown) == text);
        CHECK(printable_lines(shown) == shown);
    }
}

TEST_CASE("printable_lines: ends of lines, tabs and backslashes stay") {
    CHECK(printable_lines("a\tb\n\"\\x1b\"\r\n") == "a\tb\n\"\\x1b\"\r\n");
    CHECK(printable_lines("a\rb\x1b[0m\v") == "a\\x0db\\x1b[0m\\x0b");
}

TEST_CASE("an error is one printable line, whichever part of it comes from outside") {
    const base::Error error{base::ErrorKind::bad_input, "no tensor \"a\nb\"", "dir\x1b[2J/file", {"while\rreading"}};
    CHECK(error.text() == "dir\\x1b[2J/file: no tensor \"a\\x0ab\" (while\\x0dreading)");
    CHECK(error.unescaped_text() == "dir\x1b[2J/file: no tensor \"a\nb\" (while\rreading)");
}

TEST_CASE("show: texts among the arguments are printable, numbers and the pattern stay") {
    CHECK(base::show("{:<8}|{:>3}\n{}", std::string("a\nb"), 7, "\x1b") == "a\\x0ab  |  7\n\\x1b");
}

TEST_CASE("JSON: what may not be shown is escaped, and read as it was") {
    const std::string text = "\xE2\x80\xAE \xC2\x9B \xF3\xA0\x81\x81 \x7f \xE6\x9D\x83";
    const std::string json = base::json_escape(text);
    CHECK(json == "\\u202e \\u009b \\udb40\\udc41 \\u007f \xE6\x9D\x83");
    CHECK(*base::parse_json("\"" + json + "\"", "")->root.string() == text);
}
