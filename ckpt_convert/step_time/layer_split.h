// How many layers each stage has, so that the most loaded one has as little as can be: linear partition, O(p L^2).
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace ckpt {

// What the layers [first, end) cost on a stage: seconds or bytes; more with every layer.
using StageCost = std::function<double(std::size_t stage, std::size_t first, std::size_t end)>;

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct LayerSplit {
    std::vector<std::size_t> layers;  // of each stage
    double most = 0;                  // the cost of the most loaded stage
    double most_other = 0;            // the other cost of the stage that has most of it
};

// The split with the smallest `cost` of any stage where no stage has `other` above `limit`; among these one with the smallest
// `other`, and among those the most even one. Every stage has a layer. Nothing when no split is within the limit.
std::optional<LayerSplit> split_layers(std::size_t stages, std::size_t layers, const StageCost& cost,
                                       const StageCost& other, double limit = kNoLimit);

}  // namespace ckpt
