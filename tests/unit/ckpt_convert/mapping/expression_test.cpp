#include <doctest/doctest.h>

#include "ckpt_convert/mapping/expression.h"

using ckpt::Expression;

namespace {

base::Result<std::int64_t> value(std::string_view text) {
    auto parsed = Expression::parse(text, "f");
    REQUIRE(parsed);
    return parsed->evaluate([](std::string_view name) -> std::optional<std::int64_t> {
        if (name == "heads") return 8;
        if (name == "tied") return 0;
        if (name == "big") return INT64_MAX;
        return std::nullopt;
    });
}

}  // namespace

TEST_CASE("expression: precedence and values") {
    CHECK(*value("2 + 3 * 4") == 14);
    CHECK(*value("(2 + 3) * 4") == 20);
    CHECK(*value("10 - 4 - 3") == 3);
    CHECK(*value("-2 + heads / 4") == 0);
    CHECK(*value("heads % 3") == 2);
    CHECK(*value("!tied & heads > 1") == 1);
    CHECK(*value("tied | heads == 8") == 1);
    CHECK(*value("heads != 8") == 0);
    CHECK(*value("heads >= 8 & heads <= 8 & !(heads < 8)") == 1);
    CHECK(*value("!!heads") == 1);
}

TEST_CASE("expression: what cannot be evaluated is named") {
    CHECK(value("heads / 3").error().message == "\"heads / 3\": 8 is not a multiple of 3");
    CHECK(value("heads / tied").error().message == "\"heads / tied\" divides 8 by 0");
    CHECK(value("width * 2").error().message == "\"width\" has no value in \"width * 2\"");
    CHECK(value("big * 2").error().message == "\"big * 2\" is too large");
    CHECK(value("big + 1").error().kind == base::ErrorKind::bad_input);
}

TEST_CASE("expression: what does not parse is rule data") {
    for (const char* bad : {"", "2 +", "* 2", "(2", "2)", "2 3", "a $ b", "9999999999999999999", "2x"}) {
        auto parsed = Expression::parse(bad, "f.json:1:1");
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().kind == base::ErrorKind::rule_data);
        CHECK(parsed.error().where == "f.json:1:1");
    }
    // Nesting costs memory, not stack.
    std::string deep(200'000, '(');
    CHECK(Expression::parse(deep + "1" + std::string(200'000, ')'), "f"));
}
