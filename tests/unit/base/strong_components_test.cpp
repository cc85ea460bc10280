#include <doctest/doctest.h>

#include "base/strong_components.h"

using Numbers = std::vector<std::uint32_t>;

TEST_CASE("strong components: what reaches each other has one number, and edges lead to smaller ones") {
    CHECK(base::strong_components({}).empty());
    CHECK(base::strong_components({{}}) == Numbers{0});
    CHECK(base::strong_components({{0}}) == Numbers{0});
    CHECK(base::strong_components({{1}, {2}, {}}) == Numbers{2, 1, 0});
    CHECK(base::strong_components({{1}, {2}, {0}, {2}}) == Numbers{0, 0, 0, 1});
    // Two cycles, one behind the other, and a node that reaches both twice.
    CHECK(base::strong_components({{1, 3}, {0}, {3, 0, 3}, {4}, {3}}) == Numbers{1, 1, 2, 0, 0});
}

TEST_CASE("strong components: a long way does not need a deep stack") {
    constexpr std::uint32_t kNodes = 1'000'000;
    std::vector<Numbers> next(kNodes);
    for (std::uint32_t i = 0; i + 1 < kNodes; ++i) next[i] = {i + 1};
    CHECK(base::strong_components(next).front() == kNodes - 1);
    next.back() = {0};
    CHECK(base::strong_components(next) == Numbers(kNodes, 0));
}
