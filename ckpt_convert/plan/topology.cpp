#include "ckpt_convert/plan/topology.h"

#include <optional>

#include "base/format.h"
#include "ckpt_convert/plan/stage_sizes.h"

namespace ckpt {
namespace {

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

void place_modules(const std::vector<ChunkSize>& sizes, Placement& placement) {
    placement.module_count = 0;
    ChunkPosition last_layer;
    for (const ChunkSize& size : sizes) {
        if (size.slots > 0) last_layer = size.position;
        if (size.modules == 0) continue;
        placement.module_count = size.modules;
        placement.modules = size.position;
    }
    if (*placement.module_count > 0) placement.norm = last_layer;
}

}  // namespace

Result<Placement> place_layers(const Topology& topology, std::uint32_t layers) {
    TRY_ASSIGN(auto slots, fill_slots(topology, layers));
    TRY_ASSIGN(auto sizes, stage_sizes(topology, static_cast<std::uint32_t>(slots.size())));
    auto pp = static_cast<std::size_t>(topology.pp);
    Placement placement;
    placement.virtual_stages = sizes.size() > pp;
    placement.slots = static_cast<std::uint32_t>(slots.size());
    placement.stages.assign(pp, std::vector<std::vector<LayerSlot>>(sizes.size() / pp));
    placement.head = placement.norm = placement.modules = sizes.back().position;
    if (!topology.pipeline_layout.empty()) place_modules(sizes, placement);
    std::size_t slot = 0;
    for (const ChunkSize& size : sizes) {
        auto& chunk = placement.stages[size.position.pp][size.position.chunk];
        for (std::uint32_t local = 0; local < size.slots; ++local, ++slot) {
            if (slots[slot]) chunk.push_back({local, *slots[slot]});
        }
    }
    return placement;
}

}  // namespace ckpt
