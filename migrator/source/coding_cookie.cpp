// PEP 263 as CPython's tokenizer reads it (Parser/tokenizer: get_coding_spec, check_coding_spec).
#include <algorithm>
#include <array>
#include <utility>

#include "migrator/source/text_codec.h"

#include "base/text.h"

namespace migrator {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

bool is_name_character(char c) { return base::is_word_char(c) || c == '-' || c == '.'; }

// The name behind the first "coding:" or "coding=" of a comment that has one.
std::optional<std::string> cookie_of_comment(std::string_view comment) {
    constexpr std::string_view kWord = "coding";
    for (std::size_t at = comment.find(kWord); at != std::string_view::npos; at = comment.find(kWord, at + 1)) {
        std::size_t begin = at + kWord.size();
        if (begin >= comment.size() || (comment[begin] != ':' && comment[begin] != '=')) continue;
        ++begin;
        while (begin < comment.size() && (comment[begin] == ' ' || comment[begin] == '\t')) ++begin;
        std::size_t end = begin;
        while (end < comment.size() && is_name_character(comment[end])) ++end;
        if (end > begin) return std::string(comment.substr(begin, end - begin));
    }
    return std::nullopt;
}

// Python's codecs know more spellings than any cookie uses; these are the ones met, without case, '-' being '_'.
// clang-format off
constexpr auto kAliases = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"646", "ascii"}, {"936", "gbk"}, {"1252", "cp1252"}, {"8859", "iso-8859-1"}, {"ascii", "ascii"},
    {"big5", "big5"}, {"big5_tw", "big5"}, {"chinese", "gb2312"}, {"cp1251", "cp1251"}, {"cp1252", "cp1252"},
    {"cp932", "cp932"}, {"cp936", "gbk"}, {"cp949", "cp949"}, {"cp65001", "utf-8"}, {"euc_cn", "gb2312"},
    {"euc_jp", "euc-jp"}, {"euc_kr", "euc-kr"}, {"euccn", "gb2312"}, {"eucgb2312_cn", "gb2312"}, {"eucjp", "euc-jp"},
    {"euckr", "euc-kr"}, {"gb18030", "gb18030"}, {"gb18030_2000", "gb18030"}, {"gb2312", "gb2312"},
    {"gb2312_1980", "gb2312"}, {"gb2312_80", "gb2312"}, {"gbk", "gbk"}, {"iso8859_1", "iso-8859-1"},
    {"iso8859", "iso-8859-1"}, {"iso8859_15", "iso-8859-15"}, {"iso_8859_1", "iso-8859-1"},
    {"iso_8859_15", "iso-8859-15"}, {"iso_latin_1", "iso-8859-1"}, {"koi8_r", "koi8-r"}, {"l1", "iso-8859-1"},
    {"latin", "iso-8859-1"}, {"latin1", "iso-8859-1"}, {"latin_1", "iso-8859-1"}, {"latin9", "iso-8859-15"},
    {"latin_9", "iso-8859-15"}, {"ms936", "gbk"}, {"shift_jis", "shift_jis"}, {"shiftjis", "shift_jis"},
    {"sjis", "shift_jis"}, {"u8", "utf-8"}, {"us_ascii", "ascii"}, {"utf", "utf-8"}, {"utf8", "utf-8"},
    {"utf_8", "utf-8"}, {"windows_1251", "cp1251"}, {"windows_1252", "cp1252"}
});
// clang-format on

std::string normalised(std::string_view cookie) {
    std::string out;
    for (const char c : cookie) {
        const bool upper = c >= 'A' && c <= 'Z';
        out += c == '-' ? '_' : upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

}  // namespace

std::optional<std::string> canonical_encoding(std::string_view cookie) {
    const std::string name = normalised(cookie);
    // CPython cuts what Emacs appends: "utf-8-unix", "latin-1-dos".
    if (name.starts_with("utf_8_")) return "utf-8";
    for (const std::string_view prefix : {"latin_1_", "iso_8859_1_", "iso_latin_1_"}) {
        if (name.starts_with(prefix)) return "iso-8859-1";
    }
    const auto* found = std::ranges::find(kAliases, name, [](const auto& row) { return row.first; });
    if (found == kAliases.end()) return std::nullopt;
    return std::string(found->second);
}

std::optional<std::string> find_coding_cookie(std::string_view bytes) {
    for (int line_number = 1; line_number <= 2 && !bytes.empty(); ++line_number) {
        const std::size_t end = bytes.find_first_of("\r\n");
        const std::string_view line = bytes.substr(0, end);
        const auto first = std::ranges::find_if_not(line, is_blank);
        if (first != line.end()) {
            // The second line counts only below a blank or comment line.
            if (*first != '#') return std::nullopt;
            if (auto cookie = cookie_of_comment(line.substr(static_cast<std::size_t>(first - line.begin()))))
                return cookie;
        }
        if (end == std::string_view::npos) break;
        bytes.remove_prefix(end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1));
    }
    return std::nullopt;
}

}  // namespace migrator
