#include "ckpt_convert/step_time/time_rules.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"

using ckpt::Basis;
using ckpt::TimeRules;

namespace {

const char* const kPath = "rules/planner/step_time.json";

std::string load_error(const std::string& from, const std::string& to) {
    base::DataStore store;
    std::string text(*store.find(kPath));
    const std::size_t at = text.find(from);
    REQUIRE(at != text.npos);
    test::MemoryFileSystem fs;
    fs.add("time.json", text.replace(at, from.size(), to));
    REQUIRE(store.add(fs, "time.json", kPath));
    const auto rules = TimeRules::load(store);
    REQUIRE_FALSE(rules);
    return rules.error().message;
}

}  // namespace

TEST_CASE("time rules: an entry has what the one that it is like says") {
    const auto rules = TimeRules::load(base::DataStore());
    REQUIRE(rules);
    const auto b200 = rules->of_device("b200"), gb300 = rules->of_device("gb300");
    REQUIRE(b200);
    REQUIRE(gb300);
    CHECK(b200->gemm->value == 0.485);
    CHECK(b200->gemm->basis == Basis::measured);
    CHECK(gb300->gemm->basis == Basis::assumed);
    CHECK(gb300->ring->value == b200->ring->value);
    CHECK(rules->of_device("abacus").error().kind == base::ErrorKind::usage);
    CHECK(rules->band("dense").high > 0);
}

TEST_CASE("time rules: what is missing or impossible is an error") {
    CHECK(load_error("\"fp8_gain\"", "\"latent_us\"").find("latent_us") != std::string::npos);
    CHECK(load_error("\"fp8_gain\": {\"value\": 1.75, \"basis\": \"assumed\"},", "") ==
          "\"b200\" does not say its \"fp8_gain\"");
    CHECK(load_error("\"like\": \"b200\"", "\"like\": \"b100\"") ==
          "\"gb200\" is like \"b100\", which does not stand before it");
    CHECK(load_error("\"value\": 0.485", "\"value\": 0") == "\"value\" must be above 0");
    CHECK(load_error("\"basis\": \"measured\"", "\"basis\": \"guessed\"").find("guessed") != std::string::npos);
}
