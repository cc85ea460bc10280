#include "ckpt_convert/plan/target_contents.h"

#include <numeric>

namespace ckpt {

// each(take): calls take(target, value) for all values, the same each time.
template <class Value, class Each>
TargetContents::Grouped<Value> TargetContents::grouped(std::size_t targets, Each each) {
    std::vector<std::uint32_t> next(targets + 1, 0);
    each([&](std::uint32_t target, const Value&) { ++next[target + 1]; });
    std::partial_sum(next.begin(), next.end(), next.begin());
    Grouped<Value> out;
    out.values.resize(next.back());
    each([&](std::uint32_t target, const Value& value) { out.values[next[target]++] = value; });
    next.pop_back();
    out.ends = std::move(next);
    return out;
}

TargetContents::TargetContents(const ConversionPlan& plan) {
    parts_ = grouped<Part>(plan.targets.size(), [&](const auto& take) {
        for (std::uint32_t move = 0; move < plan.moves.size(); ++move) {
            const auto& pieces = plan.moves[move].targets;
            for (std::uint32_t piece = 0; piece < pieces.size(); ++piece) take(pieces[piece].tensor, {move, piece});
        }
    });
    fills_ = grouped<std::uint32_t>(plan.targets.size(), [&](const auto& take) {
        for (std::uint32_t fill = 0; fill < plan.fills.size(); ++fill) take(plan.fills[fill].target, fill);
    });
}

}  // namespace ckpt
