#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "migrator/profile/flow_table.h"
#include "migrator/profile/packed_list.h"

using namespace migrator;

namespace {

struct Row {
    std::int64_t time = 0, length = 0;
    std::uint64_t address = 0;
    std::uint32_t name = 0;
    bool is_set = false;

    bool operator==(const Row&) const = default;
};
using Rows = PackedList<Row, &Row::time, &Row::length, &Row::address, &Row::name, &Row::is_set>;

// Of all sizes of numbers, and runs in which a member does not change.
Row random_row(std::mt19937_64& random, int kind) {
    switch (kind % 4) {
        case 0: return {static_cast<std::int64_t>(random()), static_cast<std::int64_t>(random()), random(), 7, true};
        case 1: return {static_cast<std::int64_t>(random() % 1000) * 100'000, 5, random() % 3, 1, random() % 2 == 0};
        case 2: return {std::numeric_limits<std::int64_t>::min(), -3, ~std::uint64_t{0}, ~std::uint32_t{0}, false};
        default: return {std::numeric_limits<std::int64_t>::max(), 0, 0, static_cast<std::uint32_t>(random()), false};
    }
}

}  // namespace

TEST_CASE("profile: a packed list gives back every row") {
    std::mt19937_64 random(7);
    for (const std::size_t count : {0u, 1u, 1023u, 1024u, 1025u, 5000u}) {
        for (int kind = 0; kind < 5; ++kind) {
            Rows packed;
            std::vector<Row> plain;
            for (std::size_t i = 0; i < count; ++i) {
                plain.push_back(random_row(random, kind < 4 ? kind : static_cast<int>(random() % 4)));
                packed.push_back(plain.back());
            }
            CAPTURE(count);
            CAPTURE(kind);
            REQUIRE(packed.size() == count);
            CHECK(std::vector<Row>(packed.begin(), packed.end()) == plain);
            bool members_are_equal = true;
            for (std::size_t i = 0; i < count; ++i)
                members_are_equal = members_are_equal && packed.get<&Row::length>(i) == plain[i].length &&
                                    packed.get<&Row::is_set>(i) == plain[i].is_set;
            CHECK(members_are_equal);
            std::ranges::stable_sort(plain, {}, &Row::time);
            const Rows sorted = sorted_by<&Row::time>(std::move(packed));
            CHECK(std::vector<Row>(sorted.begin(), sorted.end()) == plain);
            const auto wanted = plain.empty() ? 0 : plain[count / 2].time;
            const auto found = std::ranges::lower_bound(plain, wanted, {}, &Row::time) - plain.begin();
            CHECK(sorted.lower_bound<&Row::time>(wanted) == static_cast<std::size_t>(found));
        }
    }
}

TEST_CASE("profile: a later end of an arrow takes the place of the one before") {
    FlowTable flows;
    flows.add_begin("1", 10, 1);
    flows.add_begin("\"x\"", 20, 1);
    flows.add_end("1", 40, 2);
    flows.add_end("\"x\"", 30, 3);
    flows.add_end("9", 35, 4);    // it has no begin
    flows.add_begin("1", 15, 5);  // both ends of 1 again
    flows.add_end("1", 30, 6);
    flows.join();
    REQUIRE(flows.all().size() == 3);
    const auto [first, after] = flows.ending_at(30);
    REQUIRE(first == 0);
    REQUIRE(after == 2);
    const Flow one = flows.all()[0], other = flows.all()[1], lone = flows.all()[2];
    CHECK(one.begin == 15);  // its begin came before that of x
    CHECK(one.begin_thread == 5);
    CHECK(one.end_thread == 6);
    CHECK(other.begin == 20);
    CHECK(other.end_thread == 3);
    CHECK(lone.end == 35);
    CHECK_FALSE(lone.is_whole());
}
