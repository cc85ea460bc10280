// Topology: how a Megatron run splits a model over ranks, as the user asks for it, and the placement that follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/plan/expert_layout.h"

namespace ckpt {

// What happens when there are more TP ranks than KV groups.
enum class KvSharing {
    refuse,
    split,   // a rank holds a part of a group's rows, as megatron-core 0.16 and later reads it
    repeat,  // key and value heads are copied, so that the model has as many KV groups as TP ranks
};

struct Topology {
    int tp = 1;  // tensor parallel size
    int pp = 1;  // pipeline parallel size
    ExpertParallel experts;
    // Uneven stages: at most one of the four ways below.
    std::vector<std::uint32_t> layers_per_stage;      // one entry per PP rank
    std::optional<std::uint32_t> first_stage_layers;  // the stages between share the rest
    std::optional<std::uint32_t> last_stage_layers;
    bool count_embedding = false;  // the embedding, the loss count as a layer of the first, the last stage
    bool count_loss = false;
    std::string pipeline_layout;  // Megatron's notation: "Et*3|(tt|)*29,t|L"
    // Virtual pipeline stages: at most one of the two ways.
    std::uint32_t layers_per_virtual_stage = 0;  // 0: not given
    std::uint32_t virtual_stages = 0;            // chunks of each PP rank; 0: not given
    bool dualpipev = false;                      // two chunks: the ranks forwards, then backwards
    std::vector<std::uint32_t> noop_layers;      // slots of the padded layer sequence that hold no layer
    KvSharing kv_sharing = KvSharing::refuse;

    bool operator==(const Topology&) const = default;
};

// A layer of the model at its place in a pipeline stage.
struct LayerSlot {
    std::uint32_t local = 0;  // number in the state dict; noop layers leave gaps
    std::uint32_t layer = 0;  // number in the model
    bool operator==(const LayerSlot&) const = default;
};

// A virtual stage of a pipeline rank: `model`, or `model<chunk>`.
struct ChunkPosition {
    std::uint32_t pp = 0;
    std::uint32_t chunk = 0;
    bool operator==(const ChunkPosition&) const = default;
};

// Which layers each pipeline rank holds, per virtual stage. The embedding is in the first chunk of rank 0.
struct Placement {
    bool virtual_stages = false;
    std::uint32_t slots = 0;                                  // layers including noops: Megatron's num_layers
    std::vector<std::vector<std::vector<LayerSlot>>> stages;  // [pp rank][chunk]
    ChunkPosition head;                                       // the chunk with the output layer
    // The chunks with the final norm and with the modules for multi-token prediction: the head's, unless a layout has such
    // modules. Then Megatron has the norm behind the last layer (megatron-core 0.16: has_final_layernorm_in_this_stage).
    ChunkPosition norm, modules;
    std::optional<std::uint32_t> module_count;  // where a layout or a checkpoint says it

    int pp() const { return static_cast<int>(stages.size()); }
    std::uint32_t chunks() const { return static_cast<std::uint32_t>(stages.front().size()); }
};

// Lays `layers` layers out. Fails with usage when they do not divide, with the numbers that would.
Result<Placement> place_layers(const Topology& topology, std::uint32_t layers);

}  // namespace ckpt
