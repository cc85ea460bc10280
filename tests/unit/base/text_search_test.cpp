#include <doctest/doctest.h>

#include "base/text_search.h"

using Words = std::set<std::string_view>;

TEST_CASE("text search: words at the ends, in each other and over each other") {
    base::TextSearch search;
    CHECK(search.words_in("nothing to look for").empty());
    for (const char* word : {"aa", "aab", "--flag", "a.b", "\xE5\xB9\xB4"}) search.add(word);
    CHECK(search.words_in("").empty());
    CHECK(search.words_in("a").empty());
    CHECK(search.words_in("aa") == Words{"aa"});
    CHECK(search.words_in("xaab") == Words{"aa", "aab"});
    CHECK(search.words_in("aaab --flagged a.b") == Words{"aa", "aab", "--flag", "a.b"});
    CHECK(search.words_in("2026\xE5\xB9\xB4") == Words{"\xE5\xB9\xB4"});
    CHECK(search.words_in("a-b --fla a").empty());
}
