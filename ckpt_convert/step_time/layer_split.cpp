#include "ckpt_convert/step_time/layer_split.h"

#include <algorithm>

namespace ckpt {
namespace {

// Two sums of the same numbers in another order are one cost.
constexpr double kRounding = 1e-9;

// What a split is judged by: the stage that costs most, or the sum of squares, which is least where all cost alike.
enum class Goal { least_most, most_even };

// The best split by `cost` where no stage costs more than `most`, nor has more of `other` than `limit`.
std::optional<LayerSplit> best_split(Goal goal, std::size_t stages, std::size_t layers, const StageCost& cost,
                                     double most, const StageCost& other, double limit) {
    const std::size_t width = layers + 1;
    std::vector<double> best(width, kNoLimit), next(width);
    std::vector<std::size_t> from((stages + 1) * width);
    best[0] = 0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        std::fill(next.begin(), next.end(), kNoLimit);
        for (std::size_t first = stage; first < layers; ++first) {
            if (best[first] == kNoLimit) continue;
            for (std::size_t end = first + 1; end <= layers; ++end) {
                const double own = cost(stage, first, end);
                if (own > most || other(stage, first, end) > limit) break;  // more layers cost more
                const double sum = goal == Goal::least_most ? std::max(best[first], own) : best[first] + own * own;
                if (sum >= next[end] * (1 - kRounding)) continue;
                next[end] = sum;
                from[(stage + 1) * width + end] = first;
            }
        }
        best.swap(next);
    }
    if (best[layers] == kNoLimit) return std::nullopt;
    LayerSplit out;
    out.layers.resize(stages);
    for (std::size_t stage = stages, end = layers; stage-- > 0;) {
        const std::size_t first = from[(stage + 1) * width + end];
        out.layers[stage] = end - first;
        out.most = std::max(out.most, cost(stage, first, end));
        out.most_other = std::max(out.most_other, other(stage, first, end));
        end = first;
    }
    return out;
}

// The cost of a split that is even, so that nothing that costs more needs a look.
double most_of_even(std::size_t stages, std::size_t layers, const StageCost& cost, const StageCost& other,
                    double limit) {
    double out = 0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const std::size_t first = layers * stage / stages, end = layers * (stage + 1) / stages;
        if (first == end || other(stage, first, end) > limit) return kNoLimit;
        out = std::max(out, cost(stage, first, end));
    }
    return out;
}

}  // namespace

std::optional<LayerSplit> split_layers(std::size_t stages, std::size_t layers, const StageCost& cost,
                                       const StageCost& other, double limit) {
    const double even = most_of_even(stages, layers, cost, other, limit);
    const auto fastest = best_split(Goal::least_most, stages, layers, cost, even, other, limit);
    if (!fastest) return std::nullopt;
    const double most = fastest->most * (1 + kRounding);
    const auto lightest = best_split(Goal::least_most, stages, layers, other, fastest->most_other, cost, most);
    return best_split(Goal::most_even, stages, layers, cost, most, other, lightest->most * (1 + kRounding));
}

}  // namespace ckpt
