#include "ckpt_convert/search/stage_layers.h"

#include <cmath>
#include <numeric>

#include "base/check.h"
#include "base/format.h"
#include "ckpt_convert/step_time/layer_split.h"

namespace ckpt {
namespace {

// An uneven split has to be faster by this share to be worth its option.
constexpr double kWorthIt = 0.02;
// Splits are remembered by the head's cost in steps of so many layers.
constexpr double kHeadStep = 0.1;

double seconds(const PassTime& time) { return time.forward_seconds() + time.backward_seconds(); }

double head_seconds(const ModelShape& model, const MicroTime& micro) {
    const auto modules = static_cast<double>(model.mtp);
    return (1 + modules) * seconds(micro.head) + modules * seconds(micro.mtp);
}

// Sums of layers, the head behind the last.
struct Costs {
    std::vector<double> until{0};
    double head = 0;

    double operator()(std::size_t chunk, std::size_t chunks, std::size_t first, std::size_t end) const {
        return until[end] - until[first] + (chunk + 1 == chunks ? head : 0);
    }
};

Costs costs_of(const ModelShape& model, const MicroTime& micro) {
    Costs out;
    for (std::uint16_t kind : model.layers) out.until.push_back(out.until.back() + seconds(micro.kinds[kind]));
    out.head = head_seconds(model, micro);
    return out;
}

std::vector<std::size_t> best_layers(const Costs& costs, std::size_t chunks, std::size_t layers) {
    const auto split = split_layers(
        chunks, layers,
        [&](std::size_t chunk, std::size_t first, std::size_t end) { return costs(chunk, chunks, first, end); },
        [&](std::size_t chunk, std::size_t first, std::size_t end) {
            return double(end - first) * double(chunks - chunk);
        });
    CHECK(split);
    return split->layers;
}

double slowest(const Costs& costs, const std::vector<std::size_t>& layers) {
    double out = 0;
    for (std::size_t i = 0, first = 0; i < layers.size(); first += layers[i++])
        out = std::max(out, costs(i, layers.size(), first, first + layers[i]));
    return out;
}

// "Et*3|t*4|t*3L"
std::string layout_of(const std::vector<std::size_t>& layers, std::int64_t modules) {
    std::string out = "E";
    for (std::size_t i = 0; i < layers.size(); ++i) out += base::format("{}t*{}", i == 0 ? "" : "|", layers[i]);
    return out + std::string(static_cast<std::size_t>(modules), 'm') + "L";
}

}  // namespace

std::optional<PipelineChoice> StageLayers::split(int stages, std::uint32_t chunks, bool dualpipev,
                                                 const MicroTime& micro) const {
    const std::size_t layers = model_->layer_count(), all = static_cast<std::size_t>(stages) * chunks;
    if (all > layers) return std::nullopt;
    PipelineChoice out;
    out.topology.pp = stages;
    const bool divides = layers % all == 0;
    if (dualpipev) {
        if (!divides) return std::nullopt;
        out.topology.dualpipev = true;
    } else if (chunks == 1) {
        const Costs costs = costs_of(*model_, micro);
        std::vector<std::size_t> best = best_layers(costs, all, layers);
        const std::vector<std::size_t> even(all, layers / all);
        if (!divides || slowest(costs, even) > slowest(costs, best) * (1 + kWorthIt))
            out.topology.layers_per_stage.assign(best.begin(), best.end());
    } else if (divides) {
        out.topology.layers_per_virtual_stage = static_cast<std::uint32_t>(layers / all);
    } else {
        out.topology.pipeline_layout = layout_of(best_layers(costs_of(*model_, micro), all, layers), model_->mtp);
    }
    auto placement = ckpt::place_layers(out.topology, static_cast<std::uint32_t>(layers));
    if (!placement) return std::nullopt;
    out.placement = std::move(*placement);
    return out;
}

const PipelineChoice* StageLayers::choose(int stages, std::uint32_t chunks, bool dualpipev, const MicroTime& micro) {
    const double layer = seconds(micro.kinds[model_->layers.back()]);
    const int head = static_cast<int>(std::lround(head_seconds(*model_, micro) / layer / kHeadStep));
    auto [found, is_new] = known_.try_emplace({stages, chunks, dualpipev, head});
    if (is_new) found->second = split(stages, chunks, dualpipev, micro);
    return found->second ? &*found->second : nullptr;
}

}  // namespace ckpt
