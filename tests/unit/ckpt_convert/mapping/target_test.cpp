#include <doctest/doctest.h>

#include "ckpt_convert/mapping/target.h"
#include "tests/support/memory_file_system.h"

using base::ErrorKind;
using ckpt::VocabFill;
using ckpt::VocabPadding;

namespace {

const ckpt::TargetRegistry& registry() {
    static const ckpt::TargetRegistry instance = *ckpt::TargetRegistry::load(base::DataStore());
    return instance;
}

std::uint64_t padded(std::string_view rule, std::uint64_t vocab, int tp) {
    auto found = registry().padding(rule, false);
    REQUIRE(found);
    auto rows = (*found)->padded(vocab, tp);
    REQUIRE(rows.has_value());
    return *rows;
}

VocabFill fill(std::string_view rule) { return (*registry().padding(rule, false))->fill; }

// Loading with one file of rules/targets/ replaced.
base::Error load_error(const std::string& file, const std::string& text) {
    test::MemoryFileSystem fs;
    fs.add("rules/targets/" + file, text);
    base::DataStore store;
    REQUIRE(store.overlay(fs, "rules", "rules"));
    auto loaded = ckpt::TargetRegistry::load(store);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::rule_data);
    return loaded.error();
}

}  // namespace

TEST_CASE("targets: what MindSpeed-LLM and upstream Megatron expect") {
    auto mindspeed = registry().target("mindspeed"), mcore = registry().target("mcore");
    REQUIRE(mindspeed);
    REQUIRE(mcore);
    CHECK((*mindspeed)->core == ckpt::CoreVersion{0, 12});
    CHECK((*mindspeed)->layers == "local");
    CHECK((*mindspeed)->iteration == "1");
    CHECK_FALSE((*mindspeed)->extra_state);
    CHECK((*mcore)->layers == "te");
    CHECK((*mcore)->iteration == "release");
    CHECK((*mcore)->extra_state);
    CHECK(registry().target("nope").error().message == "--target: \"nope\" is not a value; there are mcore, mindspeed");
    CHECK(&registry().default_target() == *mindspeed);
    CHECK(*registry().target("") == *mindspeed);
    CHECK((*registry().padding("", false))->name == "none");
    CHECK((*registry().padding("", true))->name == "mindspeed");
    CHECK(registry().target("nope").error().kind == ErrorKind::usage);
    CHECK(registry().padding("nope", true).error().message ==
          "--vocab-padding: \"nope\" is not a value; did you mean \"none\"?");
}

TEST_CASE("vocabulary padding: each tool's size of real vocabularies") {
    // minicpm has 122753 rows, gpt2 50257, qwen 151936.
    CHECK(padded("none", 122753, 8) == 122753);
    CHECK(padded("mindspeed", 122753, 1) == 122753);
    CHECK(padded("mindspeed", 122753, 8) == 122760);
    CHECK(padded("megatron", 50257, 1) == 50304);
    CHECK(padded("megatron", 50257, 8) == 51200);
    CHECK(padded("megatron", 151936, 1) == 151936);
    CHECK(padded("megatron", 151936, 8) == 152576);
    CHECK(padded("megatron-bridge", 50257, 8) == 51200);
    CHECK(padded("mbridge", 50257, 8) == 50304);
    CHECK(padded("ms-swift", 122753, 8) == 122760);
    CHECK(padded("ms-swift", 122760, 8) == 122760);
    CHECK(fill("mindspeed") == VocabFill::last_row);
    CHECK(fill("megatron") == VocabFill::last_row);
    CHECK(fill("megatron-bridge") == VocabFill::zero);
    CHECK(fill("mbridge") == VocabFill::zero);
    CHECK(fill("ms-swift") == VocabFill::zero);
}

TEST_CASE("vocabulary padding: sizes beyond 64 bits are no sizes") {
    VocabPadding rule{"r", 128, true, VocabFill::zero};
    CHECK(rule.padded(1, 2) == 256u);
    CHECK(rule.padded(256, 2) == 256u);
    CHECK(rule.padded(257, 2) == 512u);
    CHECK_FALSE(rule.padded(0, 2).has_value());
    CHECK_FALSE(rule.padded(UINT64_MAX, 2).has_value());
    CHECK(rule.padded(UINT64_MAX - 255, 2) == UINT64_MAX - 255);
    rule.divisor = UINT64_MAX;
    CHECK_FALSE(rule.padded(5, 2).has_value());
    CHECK(rule.padded(5, 1) == UINT64_MAX);
}

TEST_CASE("vocabulary fill: names") {
    CHECK(*ckpt::vocab_fill("zero", ErrorKind::usage, "") == VocabFill::zero);
    CHECK(*ckpt::vocab_fill("last-row", ErrorKind::usage, "") == VocabFill::last_row);
    CHECK(*ckpt::vocab_fill("mean", ErrorKind::usage, "") == VocabFill::mean);
    auto bad = ckpt::vocab_fill("last_row", ErrorKind::usage, "--vocab-fill");
    CHECK(bad.error().text() == "--vocab-fill: \"last_row\" is not one of zero, last-row and mean");
    CHECK(bad.error().kind == ErrorKind::usage);
}

TEST_CASE("targets: files that are not strict do not load") {
    const std::string kTarget =
        R"({"schema": "conversion-target/1", "name": "n", "title": "t", "core": "0.12", "iteration": "1", "source": [], )";
    CHECK(load_error("mine.json", kTarget + R"("layers": "apex"})").message ==
          "\"layers\" must be \"local\" or \"te\"");
    CHECK(load_error("mine.json", kTarget + R"("layers": "te", "colour": 1})").message ==
          "the key \"colour\" is not known here");
    CHECK(load_error("mine.json", R"({"schema": "vocab-padding/1"})").message ==
          "\"schema\" must be \"conversion-target/1\"");
    CHECK(load_error("mine.json", kTarget + R"("layers": "te", "default": true})").message ==
          "one target must be \"default\"");
    const std::string kRules = R"({"schema": "vocab-padding/1", "rules": [)";
    CHECK(load_error("vocab_padding.json", kRules + R"({"name": "a", "divisor": 0, "fill": "zero", "about": "x"}]})")
              .message == "\"divisor\" must be at least 1");
    CHECK(load_error("vocab_padding.json", kRules + R"({"name": "a", "divisor": 1, "fill": "ones", "about": "x"}]})")
              .message == "\"ones\" is not one of zero, last-row and mean");
    CHECK(load_error("vocab_padding.json",
                     kRules + R"({"name": "a", "divisor": 1, "fill": "zero", "about": "x", "taken": "default"}]})")
              .message == "one rule must have \"taken\": \"divisor\"");
    CHECK(load_error("vocab_padding.json", R"({"schema": "vocab-padding/1", "rules": 3})").message ==
          "\"rules\" must be a list");
}
