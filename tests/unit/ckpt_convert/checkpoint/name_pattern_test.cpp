#include "ckpt_convert/checkpoint/name_pattern.h"

#include <doctest/doctest.h>

#include <string>

namespace {

struct Row {
    const char* pattern;
    const char* name;
    bool fits;
};

}  // namespace

TEST_CASE("name patterns: names are found as re.match finds them") {
    const Row rows[] = {
        {"down.weight", "down.weight", true},
        {"down.weight", "down.weight_2", true},
        {"down.weight", "downXweight", true},
        {"down.weight", "a.down.weight", false},
        {R"(down\.weight)", "downXweight", false},
        {R"(\d+.mlp.dense_4h_to_h.weight)", "12.mlp.dense_4h_to_h.weight", true},
        {R"(\d+.mlp.dense_4h_to_h.weight)", "x.mlp.dense_4h_to_h.weight", false},
        {R"(^a\.(b|cd)+\.w$)", "a.bcdb.w", true},
        {R"(^a\.(b|cd)+\.w$)", "a.bc.w", false},
        {R"(^a\.(b|cd)+\.w$)", "a.b.w1", false},
        {"(?:x|y)z?", "y", true},
        {"a|b|c", "c", true},
        {"a|b|c", "d", false},
        {"", "anything", true},
        {"(|a)b", "b", true},
        {"[a-c_]+[^0-9]", "a1", false},
        {"[a-c_]+[^0-9]", "a_cx", true},
        {R"([\d.]+w)", "1.2.w", true},
        {"[]a]b", "]b", true},
        {"x*y", "y", true},
        {"(a*)*b", "aaaab", true},
        {R"(.*\.experts\.w[123]$)", "layers.0.experts.w2", true},
        {R"(.*\.experts\.w[123]$)", "layers.0.experts.w2.bias", false},
        {"a$|b", "bc", true},
        {"((a|ab)(c|bcd))(d*)$", "abcd", true},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.pattern));
        CAPTURE(std::string(row.name));
        const auto pattern = ckpt::NamePattern::parse(row.pattern);
        REQUIRE(pattern);
        CHECK(pattern->matches(row.name) == row.fits);
    }
}

TEST_CASE("name patterns: the time grows with the name alone, whatever repeats") {
    const auto pattern = ckpt::NamePattern::parse("(a|a)*(a*)*(a+a+)+b");
    REQUIRE(pattern);
    CHECK_FALSE(pattern->matches(std::string(10000, 'a')));
}

TEST_CASE("name patterns: what is more than they have is not taken for something else") {
    for (const char* text :
         {"(", ")", "[a", "*a", "a{2}", "a*?", "a++", "(?<=x)", "(?P<n>a)", R"(\b)", R"(\1)", "a\\", "[b-a]"}) {
        CAPTURE(std::string(text));
        CHECK_FALSE(ckpt::NamePattern::parse(text));
    }
    CHECK_FALSE(ckpt::NamePattern::parse(std::string(5000, 'a')));
    CHECK_FALSE(ckpt::NamePattern::parse(std::string(100, '(') + std::string(100, ')')));
}

TEST_CASE("name patterns: those of one name say which") {
    CHECK(ckpt::literal_name(R"(^model\.layers\.0\.up_proj\.weight$)") == "model.layers.0.up_proj.weight");
    CHECK(ckpt::literal_name("^a$") == "a");
    for (const char* text : {"a", "^a", "^a.b$", R"(^\d$)", "^a|b$", "^(a)$", "^a\\$"}) {
        CAPTURE(std::string(text));
        CHECK_FALSE(ckpt::literal_name(text));
    }
}
