#include "migrator/source/source_file.h"

#include <doctest/doctest.h>

using migrator::encode;
using migrator::FileType;
using migrator::make_source_file;
using migrator::SourceFile;

namespace {

SourceFile python(std::string bytes) { return make_source_file("a.py", FileType::python, std::move(bytes)); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

// An edit behind every oddity of a file: all other bytes stay.
void check_edit(const std::string& bytes, const std::string& encoding) {
    CAPTURE(bytes);
    const SourceFile file = python(bytes);
    REQUIRE_MESSAGE(!file.problem, file.problem.value_or("").text());
    CHECK(file.encoding.name == encoding);
    const auto same = encode(file, file.text);
    REQUIRE(same);
    CHECK(*same == bytes);
    const auto edited = encode(file, replaced(file.text, "CUDA", "npu"));
    REQUIRE(edited);
    CHECK(*edited == replaced(bytes, "CUDA", "npu"));
}

std::string problem(std::string bytes) { return python(std::move(bytes)).problem.value_or("").text(); }

const std::string kBom = "\xEF\xBB\xBF";

}  // namespace

TEST_CASE("source: UTF-8 is the default, with and without a mark") {
    check_edit("x = 'CUDA'  # caf\xC3\xA9 \xE4\xB8\xAD\n", "utf-8");
    check_edit(kBom + "x = 'CUDA'\n", "utf-8");
    check_edit(kBom + "# coding: utf-8\nx = 'CUDA'\n", "utf-8");
    check_edit("# -*- coding: UTF8 -*-\nx = 'CUDA'\n", "utf-8");
    CHECK(python(kBom + "x\n").encoding.bom);
    CHECK(python(kBom + "x\n").text == "x\n");
    CHECK_FALSE(python("x\n").encoding.bom);
    CHECK_FALSE(python("x\n").encoding.declared);
    CHECK(python("").text == "");
}

TEST_CASE("source: bytes are kept a second time only where they differ from the text") {
    const SourceFile same = python(std::string(1000, 'x'));
    CHECK(&same.bytes() == &same.text);
    CHECK(same.raw.capacity() < 100);
    CHECK(python(kBom + "x\n").bytes() == kBom + "x\n");
    CHECK(python("\xFF").bytes() == "\xFF");
}

TEST_CASE("source: every encoding with every line end") {
    struct Row {
        std::string cookie;
        std::string name;
        std::string bytes;  // of some text
        std::string utf8;
    };
    const Row rows[] = {
        {"latin-1", "iso-8859-1", "caf\xE9 \xA4", "caf\xC3\xA9 \xC2\xA4"},
        {"Latin_1", "iso-8859-1", "\xFF\x80", "\xC3\xBF\xC2\x80"},
        {"iso-8859-1-unix", "iso-8859-1", "\xE9", "\xC3\xA9"},
        {"ISO-8859-15", "iso-8859-15", "\xA4 \xBC", "\xE2\x82\xAC \xC5\x92"},
        {"cp1252", "cp1252", "\x80 \x93x\x94", "\xE2\x82\xAC \xE2\x80\x9Cx\xE2\x80\x9D"},
        {"windows-1252", "cp1252", "\xE9", "\xC3\xA9"},
        {"ascii", "ascii", "x", "x"},
        {"us-ascii", "ascii", "x", "x"},
        {"gbk", "gbk", "\xD6\xD0\xCE\xC4 \x81\x40", "\xE4\xB8\xAD\xE6\x96\x87 \xE4\xB8\x82"},
        {"cp936", "gbk", "\xD6\xD0", "\xE4\xB8\xAD"},
        {"gb2312", "gb2312", "\xD6\xD0", "\xE4\xB8\xAD"},
        {"GB18030", "gb18030", "\xD6\xD0 \x81\x30\x81\x30", "\xE4\xB8\xAD \xC2\x80"},
        {"euc-jp", "euc-jp", "\xC6\xFC", "\xE6\x97\xA5"},
        {"shift_jis", "shift_jis", "\x93\xFA", "\xE6\x97\xA5"},
        {"big5", "big5", "\xA4\xA4", "\xE4\xB8\xAD"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.cookie);
        for (const char* end : {"\n", "\r\n", "\r"}) {
            const std::string head = "# -*- coding: " + row.cookie + " -*-" + end;
            const std::string body = "s = '" + row.bytes + "'" + end + "\tx = 'CUDA' \f# " + row.bytes;
            check_edit(head + body, row.name);
            check_edit(head + body + end, row.name);
        }
        const SourceFile file = python("# coding=" + row.cookie + "\n" + row.bytes);
        CHECK(file.text == "# coding=" + row.cookie + "\n" + row.utf8);
        CHECK(file.encoding.declared);
    }
}

TEST_CASE("source: where a coding cookie counts") {
    const auto encoding_of = [](const std::string& bytes) { return python(bytes).encoding.name; };
    CHECK(encoding_of("#!/usr/bin/python\n# coding: latin-1\n") == "iso-8859-1");
    CHECK(encoding_of("\n# coding: latin-1\n") == "iso-8859-1");
    CHECK(encoding_of(" \t\f # vim: set fileencoding=latin-1 :\n") == "iso-8859-1");
    CHECK(encoding_of("#coding=latin-1") == "iso-8859-1");
    CHECK(encoding_of("# encoding:latin-1\n") == "iso-8859-1");
    CHECK(encoding_of("# coding: : coding: latin-1\n") == "iso-8859-1");
    CHECK(encoding_of("x = 1\n# coding: latin-1\n") == "utf-8");
    CHECK(encoding_of("\n\n# coding: latin-1\n") == "utf-8");
    CHECK(encoding_of("x = 1  # coding: latin-1\n") == "utf-8");
    CHECK(encoding_of("'''coding: latin-1'''\n") == "utf-8");
    CHECK(encoding_of("# coding latin-1\n") == "utf-8");
    CHECK(encoding_of("# coding :latin-1\n") == "utf-8");
    CHECK(encoding_of("# a\r# coding: latin-1\r") == "iso-8859-1");
    // Only Python has cookies.
    CHECK(make_source_file("a.sh", FileType::shell, "# coding: latin-1\n").encoding.name == "utf-8");
}

TEST_CASE("source: what cannot be read as text") {
    CHECK(problem("x = 1\ns = '\xE9'\n") == "not valid utf-8 at byte 11 (line 2), and there is no coding cookie");
    CHECK(problem("# coding: utf-8\n\xE9\n") == "not valid utf-8 at byte 16 (line 2)");
    CHECK(problem("# coding: ascii\n\xE9\n") == "not valid ascii at byte 16 (line 2)");
    CHECK(problem("# coding: cp1252\n\x81\n") == "not valid cp1252 at byte 17 (line 2)");
    CHECK(problem("# coding: gbk\n\xD6\n").find("not valid gbk at byte 14") == 0);
    CHECK(problem("x\n\0y"  // the literal ends at the NUL, so it is spelt out below
                  ) == "");
    CHECK(problem(std::string("x\n\0y", 4)) == "contains a NUL byte at byte 2 (line 2)");
    CHECK(problem("\xFF\xFEx").find("UTF-16") == 0);
    CHECK(problem("# coding: utf-7\n").find("'utf-7'") != std::string::npos);
    CHECK(problem("# coding: no-such\n").find("'no-such'") != std::string::npos);
    CHECK(problem(kBom + "# coding: latin-1\n").find("byte order mark") != std::string::npos);
    CHECK(python("\xE9").text == "");
    CHECK(python("\xE9").bytes() == "\xE9");
}

TEST_CASE("source: sources that declare no encoding may be any bytes") {
    const std::string bytes = "__global__ void k() {}  // caf\xE9\r\n";
    const SourceFile file = make_source_file("k.cu", FileType::cuda, bytes);
    REQUIRE_FALSE(file.problem);
    CHECK(file.encoding.name == "iso-8859-1");
    CHECK(*encode(file, file.text) == bytes);
    CHECK(make_source_file("k.cu", FileType::cuda, "// \xE4\xB8\xAD").encoding.name == "utf-8");
    CHECK(make_source_file("c.json", FileType::json, "\xE9").problem.has_value());
    CHECK(make_source_file("c.ipynb", FileType::notebook, "\xE9").problem.has_value());
}

TEST_CASE("source: new characters need a form in the encoding") {
    const SourceFile file = python("# coding: latin-1\nx = '\xE9'\n");
    const auto bad = encode(file, file.text + "# \xE4\xB8\xAD\n");
    REQUIRE_FALSE(bad);
    CHECK(bad.error().kind == base::ErrorKind::unsupported);
    CHECK(bad.error().message.find("\xE4\xB8\xAD") != std::string::npos);
    const auto good = encode(file, file.text + "# \xC3\xBC\n");
    REQUIRE(good);
    CHECK(*good == "# coding: latin-1\nx = '\xE9'\n# \xFC\n");
    const SourceFile gbk = python("# coding: gb2312\n");
    CHECK_FALSE(encode(gbk, gbk.text + "\xF0\x9F\x98\x80"));
}

TEST_CASE("source: text keeps tabs, form feeds, mixed line ends and a missing last one") {
    for (const char* bytes : {"\tif CUDA:\r\n\t\tx\n\fy\rz", "CUDA", "CUDA\r", "\f\nCUDA  \t\n\n"})
        check_edit(bytes, "utf-8");
}
