#include "base/sentence_pattern.h"

#include <doctest/doctest.h>

using base::SentencePattern;
using Values = std::vector<std::string>;

TEST_CASE("a pattern finds its values in a text") {
    const SentencePattern pattern("{} of {total:>4} in \"{}\"");
    CHECK(pattern.places() == 3);
    CHECK(pattern.values_in("1 of 2 in \"x\"") == Values{"1", "2", "x"});
    CHECK_FALSE(pattern.values_in("1 of 2 in \"x\".").has_value());
    CHECK_FALSE(SentencePattern("no place").values_in("no place").has_value());
    CHECK_FALSE(SentencePattern("ab{}ba").values_in("aba").has_value());
    CHECK(SentencePattern("{{{}}}").values_in("{x}") == Values{"x"});
}

TEST_CASE("a pattern is filled by order, number or name") {
    const SentencePattern original("{a} and {b}");
    CHECK(SentencePattern("{}, {}").filled(original, {"1", "2"}) == "1, 2");
    CHECK(SentencePattern("{1}, {0}").filled(original, {"1", "2"}) == "2, 1");
    CHECK(SentencePattern("{b}, {a}").filled(original, {"1", "2"}) == "2, 1");
}
