#include "ckpt_convert/plan/topology.h"

#include <numeric>
#include <optional>

#include "base/format.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;
using base::Status;

// The layer number of each slot; nullopt for a noop.
Result<std::vector<std::optional<std::uint32_t>>> fill_slots(const Topology& topology, std::uint32_t layers) {
    std::vector<std::optional<std::uint32_t>> slots(layers + topology.noop_layers.size());
    std::vector<bool> noop(slots.size(), false);
    for (std::uint32_t slot : topology.noop_layers) {
        if (slot >= slots.size() || noop[slot]) {
            return base::fail(ErrorKind::usage,
                              base::format("--noop-layers: {} is {}; the padded model has the layers 0 to {}", slot,
                                           slot < slots.size() ? "named twice" : "beyond the end", slots.size() - 1));
        }
        noop[slot] = true;
    }
    std::uint32_t next = 0;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        if (!noop[slot]) slots[slot] = next++;
    }
    return slots;
}

// Number of slots in each chunk of each rank, chunk-major: the order in which the layers run.
Result<std::vector<std::uint32_t>> chunk_sizes(const Topology& topology, std::uint32_t slots) {
    auto pp = static_cast<std::uint32_t>(topology.pp);
    if (!topology.layers_per_stage.empty()) {
        if (topology.layers_per_virtual_stage != 0 || !topology.noop_layers.empty()) {
            return base::fail(ErrorKind::usage,
                              "--num-layer-list cannot be combined with virtual pipeline stages or --noop-layers");
        }
        const auto& list = topology.layers_per_stage;
        std::uint64_t sum = std::accumulate(list.begin(), list.end(), std::uint64_t{0});
        if (list.size() != pp || sum != slots) {
            return base::fail(ErrorKind::usage,
                              base::format("--num-layer-list must have {} entries, one per pipeline rank, that sum up "
                                           "to {} layers; it has {} entries and sums up to {}",
                                           pp, slots, list.size(), sum));
        }
        return list;
    }
    if (slots % pp != 0) {
        return base::fail(ErrorKind::usage,
                          base::format("{} layers do not divide over {} pipeline ranks; use --num-layer-list with {} "
                                       "numbers that sum up to {}, or --noop-layers to fill up to {}",
                                       slots, pp, pp, slots, (slots / pp + 1) * pp));
    }
    std::uint32_t per_rank = slots / pp;
    if (topology.layers_per_virtual_stage == 0) return std::vector<std::uint32_t>(pp, per_rank);
    std::uint32_t per_chunk = topology.layers_per_virtual_stage;
    if (per_rank % per_chunk != 0 || per_chunk >= per_rank) {
        return base::fail(ErrorKind::usage,
                          base::format("--num-layers-per-virtual-pipeline-stage {} must divide the {} "
                                       "layers of a pipeline rank and be smaller",
                                       per_chunk, per_rank));
    }
    return std::vector<std::uint32_t>(slots / per_chunk, per_chunk);
}

}  // namespace

Result<Placement> place_layers(const Topology& topology, std::uint32_t layers) {
    TRY_ASSIGN(auto slots, fill_slots(topology, layers));
    TRY_ASSIGN(auto sizes, chunk_sizes(topology, static_cast<std::uint32_t>(slots.size())));
    auto pp = static_cast<std::size_t>(topology.pp);
    Placement placement;
    placement.virtual_stages = topology.layers_per_virtual_stage != 0;
    placement.slots = static_cast<std::uint32_t>(slots.size());
    placement.stages.assign(pp, std::vector<std::vector<LayerSlot>>(sizes.size() / pp));
    std::size_t slot = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        auto& chunk = placement.stages[i % pp][i / pp];
        for (std::uint32_t local = 0; local < sizes[i]; ++local, ++slot) {
            if (slots[slot]) chunk.push_back({local, *slots[slot]});
        }
    }
    return placement;
}

}  // namespace ckpt
