#include "ckpt_convert/step_time/layer_split.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using ckpt::LayerSplit;
using ckpt::split_layers;
using ckpt::StageCost;

namespace {

using Layers = std::vector<std::size_t>;

// Equal layers, and a head that costs as many of them on the last stage.
StageCost with_head(std::size_t stages, double head) {
    return [=](std::size_t stage, std::size_t first, std::size_t end) {
        return double(end - first) + (stage + 1 == stages ? head : 0);
    };
}
// What stages hold for the backward pass: earlier ones of more micro-batches.
StageCost in_flight(std::size_t stages) {
    return [=](std::size_t stage, std::size_t first, std::size_t end) {
        return double(end - first) * double(stages - stage);
    };
}

double imbalance(const LayerSplit& split, double all) { return split.most / (all / double(split.layers.size())); }

}  // namespace

// Shares of a head as floating-point operations at 4096 tokens.
TEST_CASE("layer split: the figures of published models") {
    struct Model {
        std::size_t stages, layers;
        double head;
        Layers best;
        double most_over_mean;
    };
    const std::vector<Model> models{
        {4, 32, 2.24, {8, 9, 9, 6}, 1.052},                   // Llama-3-8B
        {4, 28, 2.20, {7, 8, 8, 5}, 1.060},                   // Qwen2.5-7B
        {4, 36, 2.97, {9, 10, 10, 7}, 1.026},                 // Qwen3-8B
        {8, 80, 1.18, {8, 9, 10, 11, 11, 11, 11, 9}, 1.084},  // Llama-3-70B: 10,10,10,10,10,10,11,9 with less memory
        {8, 64, 1.49, {6, 7, 8, 9, 9, 9, 9, 7}, 1.099},       // Qwen3-32B
        {16, 126, 0.65, {7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7}, 1.011},  // Llama-3.1-405B
    };
    for (const Model& model : models) {
        const auto split =
            split_layers(model.stages, model.layers, with_head(model.stages, model.head), in_flight(model.stages));
        REQUIRE(split);
        CHECK(split->layers == model.best);
        CHECK(imbalance(*split, double(model.layers) + model.head) ==
              doctest::Approx(model.most_over_mean).epsilon(0.002));
    }
}

TEST_CASE("layer split: a limit moves layers, or says that there is no split") {
    const auto free = split_layers(4, 32, with_head(4, 0), in_flight(4));
    CHECK(free->layers == Layers{8, 8, 8, 8});
    const auto limited = split_layers(4, 32, with_head(4, 0), in_flight(4), 24);
    CHECK(limited->layers == Layers{6, 8, 9, 9});
    CHECK(limited->most_other <= 24);
    CHECK_FALSE(split_layers(4, 32, with_head(4, 0), in_flight(4), 10));
    CHECK_FALSE(split_layers(5, 4, with_head(5, 0), in_flight(5)));
}

TEST_CASE("layer split: no other split is better in either cost") {
    std::mt19937 random(3);
    for (int round = 0; round < 100; ++round) {
        const std::size_t stages = 1 + random() % 4, layers = stages + random() % 7;
        std::vector<double> seconds(layers), bytes(layers);
        for (std::size_t i = 0; i < layers; ++i) {
            seconds[i] = 1 + random() % 5;
            bytes[i] = 1 + random() % 5;
        }
        auto sum = [](const std::vector<double>& of) {
            return [&of](std::size_t, std::size_t first, std::size_t end) {
                double out = 0;
                for (std::size_t i = first; i < end; ++i) out += of[i];
                return out;
            };
        };
        const auto split = split_layers(stages, layers, sum(seconds), sum(bytes));
        REQUIRE(split);
        // All ways to put stages-1 cuts between layers.
        for (std::size_t cuts = 0; cuts < std::size_t(1) << (layers - 1); ++cuts) {
            if (std::size_t(__builtin_popcountll(cuts)) != stages - 1) continue;
            double most = 0, most_other = 0;
            for (std::size_t first = 0, end = 1; end <= layers; ++end) {
                if (end != layers && (cuts >> (end - 1) & 1) == 0) continue;
                most = std::max(most, sum(seconds)(0, first, end));
                most_other = std::max(most_other, sum(bytes)(0, first, end));
                first = end;
            }
            CHECK(most >= split->most);
            if (most == split->most) CHECK(most_other >= split->most_other);
        }
    }
}
