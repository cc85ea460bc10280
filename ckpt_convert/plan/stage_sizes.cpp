#include "ckpt_convert/plan/stage_sizes.h"

#include <numeric>

#include "base/format.h"

namespace ckpt {
namespace {

tl::unexpected<base::Error> usage(std::string message) { return base::fail(ErrorKind::usage, std::move(message)); }

// The chunks in the order in which they run, all sizes 0.
std::vector<ChunkSize> chunk_order(std::uint32_t pp, std::uint32_t chunks, bool dualpipev) {
    std::vector<ChunkSize> out;
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
        for (std::uint32_t rank = 0; rank < pp; ++rank) {
            bool backwards = dualpipev && chunk == 1;
            out.push_back({{backwards ? pp - 1 - rank : rank, chunk}, 0});
        }
    }
    return out;
}

// Splits each rank's number of layers evenly over its chunks.
Result<std::vector<ChunkSize>> spread(const std::vector<std::uint32_t>& per_rank, std::uint32_t chunks) {
    std::vector<ChunkSize> out = chunk_order(static_cast<std::uint32_t>(per_rank.size()), chunks, false);
    for (ChunkSize& chunk : out) {
        std::uint32_t layers = per_rank[chunk.position.pp];
        if (layers % chunks != 0) {
            return usage(base::format("the {} layers of pipeline rank {} do not divide over {} virtual stages", layers,
                                      chunk.position.pp, chunks));
        }
        chunk.slots = layers / chunks;
    }
    return out;
}

std::uint32_t ways_given(const Topology& t) {
    return std::uint32_t{!t.layers_per_stage.empty()} + std::uint32_t{t.first_stage_layers || t.last_stage_layers} +
           std::uint32_t{t.count_embedding || t.count_loss} + std::uint32_t{!t.pipeline_layout.empty()};
}

Status check_combination(const Topology& t) {
    if (ways_given(t) > 1) {
        return usage(
            "only one way of uneven stages can be given: --num-layer-list, first and last stage sizes, "
            "counting the embedding and the loss, or --pipeline-model-parallel-layout");
    }
    bool uneven = ways_given(t) > 0;
    bool virtual_stages = t.layers_per_virtual_stage != 0 || t.virtual_stages != 0;
    if (t.layers_per_virtual_stage != 0 && t.virtual_stages != 0)
        return usage("virtual stages are given twice: by their layers and by their number");
    if (!t.layers_per_stage.empty() && virtual_stages)
        return usage("--num-layer-list cannot be combined with virtual pipeline stages");
    if (t.layers_per_virtual_stage != 0 && uneven) {
        return usage(
            "with uneven stages, give the number of virtual stages: --num-virtual-stages-per-pipeline-rank, not "
            "--num-layers-per-virtual-pipeline-stage");
    }
    if (!t.pipeline_layout.empty() && t.virtual_stages != 0)
        return usage("--pipeline-model-parallel-layout says itself how many virtual stages there are");
    if (uneven && !t.noop_layers.empty()) return usage("--noop-layers needs even stages");
    if (t.dualpipev && (uneven || virtual_stages))
        return usage("dualpipev lays the layers out by itself: even stages, two chunks each");
    if (t.dualpipev && t.pp < 2) return usage("dualpipev needs a pipeline parallel size of at least 2");
    return {};
}

Result<std::vector<ChunkSize>> listed_stages(const Topology& t, std::uint32_t slots) {
    const auto& list = t.layers_per_stage;
    std::uint64_t sum = std::accumulate(list.begin(), list.end(), std::uint64_t{0});
    if (list.size() != static_cast<std::size_t>(t.pp) || sum != slots) {
        return usage(
            base::format("--num-layer-list must have {} entries, one per pipeline rank, that sum up to {} layers; it "
                         "has {} entries and sums up to {}",
                         t.pp, slots, list.size(), sum));
    }
    return spread(list, 1);
}

Result<std::vector<ChunkSize>> first_and_last(const Topology& t, std::uint32_t slots) {
    auto pp = static_cast<std::uint32_t>(t.pp);
    std::uint64_t given = std::uint64_t{t.first_stage_layers.value_or(0)} + t.last_stage_layers.value_or(0);
    std::uint32_t fixed = std::uint32_t{t.first_stage_layers.has_value()} + t.last_stage_layers.has_value();
    if (pp < fixed) return usage(base::format("{} pipeline ranks have no first and last stage", pp));
    std::uint32_t between = pp - fixed;
    if (given > slots || (between == 0 ? given != slots : (slots - given) % between != 0)) {
        return usage(base::format(
            "the first and the last stage take {} of {} layers; the rest does not divide over {} other pipeline ranks",
            given, slots, between));
    }
    // A rank without layers would divide into any number of chunks.
    if (t.virtual_stages > slots)
        return usage(base::format("{} virtual stages are more than the model's {} layers", t.virtual_stages, slots));
    std::vector<std::uint32_t> per_rank(pp, between == 0 ? 0 : static_cast<std::uint32_t>(slots - given) / between);
    if (t.first_stage_layers) per_rank.front() = *t.first_stage_layers;
    if (t.last_stage_layers) per_rank.back() = *t.last_stage_layers;
    return spread(per_rank, std::max(t.virtual_stages, 1u));
}

// The embedding and the loss take the place of a layer in the first chunk and the last one.
Result<std::vector<ChunkSize>> counted(const Topology& t, std::uint32_t slots) {
    auto pp = static_cast<std::uint32_t>(t.pp);
    std::uint32_t chunks = std::max(t.virtual_stages, 1u);
    std::uint32_t all = slots + t.count_embedding + t.count_loss;
    std::uint64_t stages = std::uint64_t{pp} * chunks;
    if (all % stages != 0) {
        return usage(
            base::format("{} layers with embedding and loss counted make {}, which do not divide over {} "
                         "stages",
                         slots, all, stages));
    }
    std::vector<ChunkSize> out = chunk_order(pp, chunks, false);
    for (ChunkSize& chunk : out) chunk.slots = static_cast<std::uint32_t>(all / stages);
    if (t.count_embedding) --out.front().slots;
    if (t.count_loss) --out.back().slots;
    return out;
}

Result<std::vector<ChunkSize>> laid_out(const Topology& t, std::uint32_t slots) {
    TRY_ASSIGN(auto stages, parse_pipeline_layout(t.pipeline_layout));
    auto pp = static_cast<std::uint32_t>(t.pp);
    const auto sum =
        std::accumulate(stages.begin(), stages.end(), std::uint64_t{0},
                        [](std::uint64_t before, const StageLetters& stage) { return before + stage.layers; });
    if (stages.size() % pp != 0 || sum != slots) {
        return usage(
            base::format("--pipeline-model-parallel-layout has {} stages with {} decoder layers; the model "
                         "has {} layers, and the stages must be a multiple of {} pipeline ranks",
                         stages.size(), sum, slots, pp));
    }
    auto out = chunk_order(pp, static_cast<std::uint32_t>(stages.size()) / pp, false);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].slots = stages[i].layers;
        out[i].modules = stages[i].modules;
        if (stages[i].modules > 0 && i + pp < out.size())
            return usage(
                base::format("--pipeline-model-parallel-layout \"{}\": modules for multi-token prediction (m) "
                             "stand in the last virtual stage of their rank: in one of the last {} stages",
                             t.pipeline_layout, pp));
    }
    return out;
}

Result<std::vector<ChunkSize>> even(const Topology& t, std::uint32_t slots) {
    auto pp = static_cast<std::uint32_t>(t.pp);
    if (slots % pp != 0) {
        return usage(
            base::format("{} layers do not divide over {} pipeline ranks; use --num-layer-list with {} "
                         "numbers that sum up to {}, or --noop-layers to fill up to {}",
                         slots, pp, pp, slots, (slots / pp + 1) * pp));
    }
    std::uint32_t per_rank = slots / pp;
    std::uint32_t chunks = t.dualpipev ? 2 : std::max(t.virtual_stages, 1u);
    if (t.layers_per_virtual_stage != 0) {
        if (per_rank % t.layers_per_virtual_stage != 0 || t.layers_per_virtual_stage >= per_rank) {
            return usage(
                base::format("--num-layers-per-virtual-pipeline-stage {} must divide the {} layers of a "
                             "pipeline rank and be smaller",
                             t.layers_per_virtual_stage, per_rank));
        }
        chunks = per_rank / t.layers_per_virtual_stage;
    }
    if (per_rank % chunks != 0) {
        return usage(base::format("the {} layers of a pipeline rank do not divide over {} {}", per_rank, chunks,
                                  t.dualpipev ? "chunks, which dualpipev needs" : "virtual stages"));
    }
    auto out = chunk_order(pp, chunks, t.dualpipev);
    for (ChunkSize& chunk : out) chunk.slots = per_rank / chunks;
    return out;
}

}  // namespace

Result<std::vector<ChunkSize>> stage_sizes(const Topology& t, std::uint32_t slots) {
    TRY(check_combination(t));
    if (!t.layers_per_stage.empty()) return listed_stages(t, slots);
    if (t.first_stage_layers || t.last_stage_layers) return first_and_last(t, slots);
    if (t.count_embedding || t.count_loss) return counted(t, slots);
    if (!t.pipeline_layout.empty()) return laid_out(t, slots);
    return even(t, slots);
}

}  // namespace ckpt
