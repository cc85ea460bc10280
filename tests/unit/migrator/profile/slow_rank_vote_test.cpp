// Which rank the others wait for, by the times that ranks spend in collectives.
#include "migrator/profile/slow_rank_vote.h"

#include <doctest/doctest.h>

#include "base/data_store.h"

namespace {

using migrator::SlowRankVote;

const migrator::OutlierTable& table() {
    static const base::DataStore store;
    static const auto read = base::read_rule_record<migrator::OutlierTable>(store, "rules/profiles/outliers.json");
    REQUIRE_MESSAGE(read, read.error().text());
    return *read;
}

bool is_outlier(const std::vector<double>& sorted) { return migrator::is_first_an_outlier(sorted, table()); }

// `number` values: the first 0, the third as given, those from the last but two 1.
std::vector<double> with_third(std::size_t number, double third) {
    std::vector<double> out{0, third - 0.01, third};
    while (out.size() < number - 3) out.push_back(third + 0.001 * static_cast<double>(out.size()));
    while (out.size() < number) out.push_back(1);
    return out;
}

}  // namespace

TEST_CASE("slow rank: the smallest value is an outlier as Dixon's test says") {
    CHECK(is_outlier({0.1, 10.3, 10.5, 11}));             // 0.936 of 4 values
    CHECK_FALSE(is_outlier({0.1, 10, 10.5, 11}));         // 0.908
    CHECK(is_outlier({0, 7.3, 8, 8.5, 9, 9.5, 10, 50}));  // of 8 values the largest does not count: 0.73
    CHECK_FALSE(is_outlier({0, 7.2, 8, 8.5, 9, 9.5, 10, 50}));
    CHECK(is_outlier(with_third(25, 0.53)));  // 0.526 lies between those of 20 and 30 values
    CHECK_FALSE(is_outlier(with_third(25, 0.52)));
    CHECK_FALSE(is_outlier({1, 100, 101}));                 // too few to tell
    CHECK_FALSE(is_outlier({1, 100, 100, 100, 101, 101}));  // three different ones
    CHECK_FALSE(is_outlier({5, 5, 5, 5, 5}));
    CHECK_FALSE(is_outlier({}));
}

TEST_CASE("slow rank: of more values than the table has, those far from the mean") {
    std::vector<double> many(150, 100);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] += 0.01 * static_cast<double>(i);
    CHECK_FALSE(is_outlier(many));
    many.front() = 1;
    CHECK(is_outlier(many));
    many.front() = 100;
    many.back() = 300;  // one that waits much longer than all others came first, and the first of all last
    CHECK(is_outlier(many));
}

TEST_CASE("slow rank: collectives are votes, where all ranks of a group have the same ones") {
    SlowRankVote vote;
    const double others[] = {10.3, 10.5, 11};
    for (int number = 0; number < 5; ++number) {
        const std::size_t late = number == 4 ? 0 : 2;
        for (std::size_t rank = 0, other = 0; rank < 4; ++rank)
            vote.add(rank, "step1", "7", "allReduce_" + std::to_string(number), rank == late ? 0.1 : others[other++]);
    }
    // Rank 1 has a collective of this group that the others do not have.
    for (std::size_t rank = 0; rank < 4; ++rank) vote.add(rank, "step1", "8", "a", rank == 3 ? 0.1 : others[rank]);
    vote.add(1, "step1", "8", "b", 5);
    // Two ranks tell nothing.
    vote.add(0, "step1", "9", "a", 1);
    vote.add(1, "step1", "9", "a", 9);
    const SlowRankVote::Result result = vote.result(table());
    CHECK(result.collectives == 5);
    CHECK(result.against == std::map<std::size_t, std::uint64_t>{{0, 1}, {2, 4}});
}
