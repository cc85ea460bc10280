#include "base/wrapped_text.h"

#include <doctest/doctest.h>

TEST_CASE("text is broken at blanks") {
    CHECK(base::wrapped("one two three", 2, 9) == "one two\n  three");
    CHECK(base::wrapped("much-too-long a", 0, 4) == "much-too-long\na");
    CHECK(base::wrapped("", 2, 9).empty());
}

TEST_CASE("text is broken next to wide characters, which take two columns") {
    CHECK(base::columns_of("a中文") == 5);
    CHECK(base::wrapped("打印版本", 0, 6) == "打印版\n本");
    // No line begins with a mark that closes, and a word stays whole.
    CHECK(base::wrapped("打印版。本", 0, 6) == "打印\n版。本");
    CHECK(base::wrapped("打印 version 本", 0, 8) == "打印\nversion\n本");
}
