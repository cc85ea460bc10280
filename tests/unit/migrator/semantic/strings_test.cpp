#include <doctest/doctest.h>

#include "tests/unit/migrator/semantic/meaning.h"

using test::Meaning;

namespace {

// The value of the right side of `x = ...`; "<none>" when there is none.
std::string value(const std::string& literal) {
    Meaning m("x = " + literal + "\n");
    const migrator::NodeId assignment = m.tree().parent(m.node("x"));
    return m.bindings().constant_string(m.tree().child(assignment, migrator::Field::right)).value_or("<none>");
}

}  // namespace

TEST_CASE("strings: quotes and prefixes") {
    CHECK(value("'cuda'") == "cuda");
    CHECK(value("\"cuda\"") == "cuda");
    CHECK(value("'''cuda'''") == "cuda");
    CHECK(value("\"\"\"a\nb\"\"\"") == "a\nb");
    CHECK(value("''") == "");
    CHECK(value("r'a\\n'") == "a\\n");
    CHECK(value("R\"cuda:0\"") == "cuda:0");
    CHECK(value("u'cuda'") == "cuda");
    CHECK(value("f'cuda'") == "cuda");
    CHECK(value("rf'a\\d{{0}}'") == "a\\d{0}");
    CHECK(value("f'{{}}'") == "{}");
    CHECK(value("('cuda')") == "cuda");
}

TEST_CASE("strings: what is not a plain str has no value") {
    CHECK(value("b'cuda'") == "<none>");
    CHECK(value("rb'cuda'") == "<none>");
    CHECK(value("f'cuda:{i}'") == "<none>");
    CHECK(value("'a' b'c'") == "<none>");
    CHECK(value("'a' f'{b}'") == "<none>");
    CHECK(value("'a' + 'b'") == "<none>");
    CHECK(value("3") == "<none>");
    CHECK(value("name") == "<none>");
    CHECK(value("('a', 'b')") == "<none>");
}

TEST_CASE("strings: escapes") {
    CHECK(value(R"('\\ \' \" \a\b\f\n\r\t\v')") == "\\ ' \" \a\b\f\n\r\t\v");
    CHECK(value(R"('\x41\101\60 \7')") == "AA0 \7");
    CHECK(value(R"('\u00e9\U0001F600')") == "\xC3\xA9\xF0\x9F\x98\x80");
    CHECK(value(R"('\d\.')") == "\\d\\.");
    CHECK(value("'a\\\nb'") == "ab");
    CHECK(value("'a\\\r\nb'") == "ab");
    CHECK(value(R"('\N{BULLET}')") == "<none>");
    CHECK(value(R"('\ud800')") == "<none>");
    CHECK(value(R"('\x4')") == "<none>");
    CHECK(value("'''a\r\nb\rc'''") == "a\nb\nc");
}

TEST_CASE("strings: in a row") {
    CHECK(value("\"cuda\" \":0\"") == "cuda:0");
    CHECK(value("('cu'  # why\n 'da')") == "cuda");
    CHECK(value("'a\\\\' r'\\n'") == "a\\\\n");
}
