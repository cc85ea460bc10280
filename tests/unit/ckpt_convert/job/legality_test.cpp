#include <doctest/doctest.h>

#include <algorithm>

#include "base/data_store.h"
#include "ckpt_convert/job/legality.h"
#include "published_models.h"

namespace {

// A plain job on one device, with what a case says in its place.
ckpt::JobFacts facts_with(const ckpt::JobFacts& said) {
    ckpt::TrainingJob job;
    job.batch.global = 8;
    ckpt::JobFacts facts = ckpt::facts_of(ckpt::shape_of(published::llama2_7b()), job, false);
    for (const auto& [name, value] : said) facts[name] = value;
    return facts;
}

bool breaks(const ckpt::LegalityRules& rules, const ckpt::JobFacts& facts, const std::string& id) {
    const auto broken = ckpt::broken_rules(rules, facts);
    REQUIRE(broken);
    return std::any_of(broken->begin(), broken->end(), [&](const ckpt::Illegal& row) { return row.rule->id == id; });
}

}  // namespace

TEST_CASE("legality: every rule accepts its case and rejects the other") {
    const base::DataStore store;
    const auto rules = ckpt::load_legality(store);
    REQUIRE(rules);
    for (const ckpt::LegalityRule& rule : rules->rules) {
        CAPTURE(rule.id);
        CHECK_FALSE(breaks(*rules, facts_with(rule.accepts), rule.id));
        CHECK(breaks(*rules, facts_with(rule.rejects), rule.id));
        // A message has a value at each of its places.
        const auto broken = ckpt::broken_rules(*rules, facts_with(rule.rejects));
        REQUIRE(broken);
        for (const ckpt::Illegal& row : *broken)
            if (row.rule == &rule) CHECK(row.because.find('{') == std::string::npos);
    }
}

TEST_CASE("legality: rules have words of their own, and what only scripts know is not guessed") {
    const base::DataStore store;
    const auto rules = ckpt::load_legality(store);
    REQUIRE(rules);
    std::vector<std::string> ids;
    for (const ckpt::LegalityRule& rule : rules->rules) ids.push_back(rule.id);
    std::sort(ids.begin(), ids.end());
    CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());

    ckpt::TrainingJob job;
    job.ranks.devices = 8;
    job.batch.global = 8;
    const ckpt::JobFacts facts = ckpt::facts_of(ckpt::shape_of(published::llama2_7b()), job, true);
    CHECK(*ckpt::first_broken(*rules, facts) == nullptr);
}
