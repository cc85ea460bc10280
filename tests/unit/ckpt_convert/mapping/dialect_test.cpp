#include <doctest/doctest.h>

#include "ckpt_convert/mapping/dialect.h"

using base::ErrorKind;
using ckpt::CoreVersion;
using ckpt::Dialect;
using ckpt::DialectSelector;

namespace {

DialectSelector selector(std::string_view text) {
    auto parsed = DialectSelector::parse(text, "f.json:1:2");
    REQUIRE_MESSAGE(parsed, parsed.error().text());
    return *parsed;
}

bool matches(std::string_view text, const Dialect& dialect) { return selector(text).matches(dialect); }

}  // namespace

TEST_CASE("core version: forms that people write") {
    auto version = [](std::string_view text) { return *CoreVersion::parse(text, ErrorKind::usage, "--target"); };
    CHECK(version("0.12") == CoreVersion{0, 12});
    CHECK(version("0.12.1") == CoreVersion{0, 12});
    CHECK(version("core_v0.12.1") == CoreVersion{0, 12});
    CHECK(version("1.0.0rc2") == CoreVersion{1, 0});
    CHECK(CoreVersion{0, 9} < CoreVersion{0, 12});
    CHECK(CoreVersion{0, 20} < CoreVersion{1, 0});
    CHECK(CoreVersion{0, 12}.text() == "0.12");
}

TEST_CASE("core version: what is none is refused with the kind that the caller wants") {
    for (const char* text :
         {"", "12", "0", "0.", ".12", "v0.12", "0.12dev", "0.-1", "-1.2", "a.b", "0 .12", "0.99999999999", "core_v"}) {
        CAPTURE(text);
        auto parsed = CoreVersion::parse(text, ErrorKind::usage, "--target");
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().kind == ErrorKind::usage);
        CHECK(parsed.error().text() ==
              "--target: \"" + std::string(text) + "\" is not a version of megatron-core such as 0.12.1");
    }
}

TEST_CASE("dialect selector: all words must hold") {
    Dialect local{"mindspeed", {0, 12}, "local", false}, te{"mcore", {0, 16}, "te", false};
    Dialect dist{"mcore", {0, 16}, "te", true};
    for (const auto& dialect : {local, te, dist}) CHECK(matches("", dialect));
    CHECK(matches("local", local));
    CHECK_FALSE(matches("local", te));
    CHECK(matches("te", dist));
    CHECK(matches("mindspeed", local));
    CHECK_FALSE(matches("mindspeed", te));
    CHECK(matches("mcore te", te));
    CHECK(matches("te mcore", te));
    CHECK_FALSE(matches("mcore local", te));
    CHECK_FALSE(matches("torch_dist", te));
    CHECK(matches("  torch_dist   mcore ", dist));
    CHECK(matches("rank_files", te));
    CHECK_FALSE(matches("rank_files", dist));
    Dialect grouped{"mcore", {0, 16}, "te", false, true};
    CHECK(matches("rank_files te grouped", grouped));
    CHECK_FALSE(matches("sequential", grouped));
    CHECK(matches("sequential", te));
    CHECK_FALSE(matches("grouped", te));
    CHECK(matches("mla_whole", te));
    CHECK(matches("mla_split", {"mindspeed", {0, 12}, "local", false, false, true}));
}

TEST_CASE("dialect selector: versions are half-open ranges, and boundaries are known") {
    auto at = [](int minor) { return Dialect{"mcore", {0, minor}, "te", false}; };
    CHECK(matches("core>=0.14", at(14)));
    CHECK_FALSE(matches("core>=0.14", at(13)));
    CHECK(matches("core<0.14", at(13)));
    CHECK_FALSE(matches("core<0.14", at(14)));
    CHECK(matches("te core>=0.13 core<0.17", at(16)));
    CHECK_FALSE(matches("te core>=0.13 core<0.17", at(17)));
    CHECK(matches("core>=0.9", at(10)));
    CHECK(selector("core>=0.13 te core<0.17.2").boundaries() == std::vector<CoreVersion>{{0, 13}, {0, 17}});
    CHECK(selector("mcore te").target() == "mcore");
    CHECK(selector("te").target().empty());
    CHECK(selector("mcore te").text() == "mcore te");
}

TEST_CASE("dialect selector: what is not a selector is rule data") {
    for (const char* text : {"grouped sequential", "torch_dist rank_files", "mcore mindspeed", "core>0.14",
                             "core==0.14", "core<=0.14", "x=1", "te <"}) {
        CAPTURE(text);
        auto parsed = DialectSelector::parse(text, "f.json:1:2");
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().kind == ErrorKind::rule_data);
        CHECK(parsed.error().where == "f.json:1:2");
    }
    CHECK(DialectSelector::parse("core>=x", "f").error().message ==
          "\"x\" is not a version of megatron-core such as 0.12.1");
}

TEST_CASE("dialect selector: two kinds of layers are no selector") {
    auto parsed = DialectSelector::parse("te local", "f");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().message == "\"te local\" names no dialect");
}

TEST_CASE("dialect: text for people") {
    CHECK(Dialect{"mindspeed", {0, 12}, "local", false}.text() == "mindspeed, local layers");
    CHECK(Dialect{"mcore", {0, 16}, "te", false}.text() == "mcore, Transformer Engine layers");
    CHECK(Dialect{"mcore", {0, 16}, "te", true}.text() == "mcore, torch_dist");
    CHECK(Dialect{"mindspeed", {0, 12}, "local", false, true}.text() == "mindspeed, local layers, grouped experts");
}
