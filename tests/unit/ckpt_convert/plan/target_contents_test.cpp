#include "ckpt_convert/plan/target_contents.h"

#include <doctest/doctest.h>

namespace {

ckpt::LogicalMove move_into(const std::vector<std::uint32_t>& targets) {
    ckpt::LogicalMove move;
    for (const std::uint32_t target : targets) move.targets.emplace_back().tensor = target;
    return move;
}

}  // namespace

TEST_CASE("each target has the pieces and fills that are written into it, in the order of the plan") {
    ckpt::ConversionPlan plan;
    plan.targets.resize(4);
    plan.moves = {move_into({2, 0, 2}), move_into({}), move_into({0})};
    plan.fills = {{3, 0, 1}, {2, 0, 1}, {3, 1, 1}};
    const ckpt::TargetContents contents(plan);
    using Parts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    const auto parts = [&](std::uint32_t target) {
        Parts out;
        for (const auto [move, piece] : contents.parts(target)) out.emplace_back(move, piece);
        return out;
    };
    CHECK(parts(0) == Parts{{0, 1}, {2, 0}});
    CHECK(parts(1).empty());
    CHECK(parts(2) == Parts{{0, 0}, {0, 2}});
    CHECK(parts(3).empty());
    const auto of_three = contents.fills(3);
    CHECK(std::vector(of_three.begin(), of_three.end()) == std::vector<std::uint32_t>{0, 2});
    CHECK(contents.fills(0).empty());
}
