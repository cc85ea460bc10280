#include "migrator/source/encoding_table.h"

#include <doctest/doctest.h>

#include "base/data_store.h"
#include "migrator/source/text_codec.h"

namespace migrator {
namespace {

// Every character of the table there and back.
void check_all_sequences(const std::string& encoding) {
    CAPTURE(encoding);
    const EncodingTable& table = EncodingTable::of(encoding);
    std::size_t characters = 0;
    for (char32_t c = 0x80; c < 0x110000; ++c) {
        std::string bytes;
        if (!table.append(bytes, c)) continue;
        ++characters;
        const auto first = table.first(bytes + "\x80");
        if (!first || first->code_point != c || first->bytes != bytes.size())
            FAIL("U+" << std::hex << std::uint32_t{c});
        if (table.first(bytes.substr(0, bytes.size() - 1))) FAIL("cut: U+" << std::hex << std::uint32_t{c});
    }
    CHECK((characters > 0) == (encoding != "ascii"));
}

TEST_CASE("encoding table: every character of every table is written as it is read") {
    std::size_t tables = 0;
    for (const base::EmbeddedFile& file : base::embedded_files()) {
        constexpr std::string_view kFolder = "rules/encodings/";
        if (!file.path.starts_with(kFolder)) continue;
        const std::string name(file.path.substr(kFolder.size(), file.path.size() - kFolder.size() - 4));
        CHECK(canonical_encoding(name) == name);
        check_all_sequences(name);
        ++tables;
    }
    CHECK(tables == 15);
}

TEST_CASE("encoding table: characters that Python's codecs name") {
    struct Row {
        std::string encoding, bytes, utf8;
    };
    const std::vector<Row> rows{
        {"gb18030", "\x90\x30\x81\x30", "\xF0\x90\x80\x80"},  // the first beyond 16 bits
        {"gb18030", "\xE3\x32\x9A\x35", "\xF4\x8F\xBF\xBF"},  // the last of all
        {"gb18030", "\x94\x39\xFC\x36", "\xF0\x9F\x98\x80"},
        {"gb18030", "\x84\x31\xA4\x39", "\xEF\xBF\xBF"},
        {"gbk", "\x80\x80", ""},
        {"gbk", "\xA1\xA4\xA1\xAA", "\xC2\xB7\xE2\x80\x94"},  // what GB 2312 says otherwise
        {"gb2312", "\xA1\xA4\xA1\xAA", "\xE3\x83\xBB\xE2\x80\x95"},
        {"euc-jp", "\x8F\xB0\xA1\x8E\xB1", "\xE4\xB8\x82\xEF\xBD\xB1"},  // three bytes, and two of half width
        {"shift_jis", "\xB1\x83\x5C", "\xEF\xBD\xB1\xE3\x82\xBD"},       // the second byte is that of a backslash
        {"cp932", "\x81\xCA", "\xEF\xBF\xA2"},
        {"cp949", "\x81\x41", "\xEA\xB0\x82"},
        {"koi8-r", "\xC1", "\xD0\xB0"},
        {"cp1251", "\xE0", "\xD0\xB0"},
        {"iso-8859-15", "\xA4\x85", "\xE2\x82\xAC\xC2\x85"},
        {"gbk", "\xFE\xFE", ""},
        {"gb18030", "\x81\x30\x81", ""},  // cut
        {"gb18030", "\x84\x31\xA5\x30", ""},
        {"gb18030", "\xE3\x32\x9A\x36", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.encoding);
        CAPTURE(row.utf8);
        const auto text = decode("'" + row.bytes + "'", row.encoding);
        if (row.utf8.empty()) {
            REQUIRE_FALSE(text);
            CHECK(text.error().where == "byte 1");
        } else {
            REQUIRE(text);
            CHECK(*text == "'" + row.utf8 + "'");
            CHECK(*encode_text(*text, row.encoding) == "'" + row.bytes + "'");
        }
    }
}

TEST_CASE("encoding table: a second form is read, and the first is written") {
    CHECK(*decode("\xA2\xCC\xA4\x51", "big5") == "\xE5\x8D\x81\xE5\x8D\x81");
    CHECK(*encode_text("\xE5\x8D\x81", "big5") == "\xA4\x51");
}

}  // namespace
}  // namespace migrator
