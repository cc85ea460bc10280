// Topology: how a Megatron run splits a model over ranks, as the user asks for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ckpt {

struct Topology {
    int tp = 1;                                   // tensor parallel size
    int pp = 1;                                   // pipeline parallel size
    std::uint32_t layers_per_virtual_stage = 0;   // 0: no virtual pipeline stages
    std::vector<std::uint32_t> layers_per_stage;  // uneven stages, one entry per PP rank; empty: even
    std::vector<std::uint32_t> noop_layers;       // slots of the padded layer sequence that hold no layer
    std::string dialect = "local";                // naming of norms: "local" or "te"
};

// A layer of the model at its place in a pipeline stage.
struct LayerSlot {
    std::uint32_t local = 0;  // number in the state dict; noop layers leave gaps
    std::uint32_t layer = 0;  // number in the model
    bool operator==(const LayerSlot&) const = default;
};

// Which layers each pipeline rank holds, per virtual stage.
struct Placement {
    bool virtual_stages = false;
    std::uint32_t slots = 0;                                  // layers including noops: Megatron's num_layers
    std::vector<std::vector<std::vector<LayerSlot>>> stages;  // [pp rank][chunk]

    int pp() const { return static_cast<int>(stages.size()); }
    std::uint32_t chunks() const { return static_cast<std::uint32_t>(stages.front().size()); }
};

// Lays `layers` layers out. Fails with usage when they do not divide, with the numbers that would.
base::Result<Placement> place_layers(const Topology& topology, std::uint32_t layers);

}  // namespace ckpt
