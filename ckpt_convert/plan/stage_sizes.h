// How many layers each chunk of each pipeline rank holds, in the order in which they run.
#pragma once

#include <cstdint>
#include <vector>

#include "ckpt_convert/plan/topology.h"

namespace ckpt {

struct ChunkSize {
    ChunkPosition position;
    std::uint32_t slots = 0;
};

// One entry for each chunk of each rank; they add up to `slots`. Fails with usage.
Result<std::vector<ChunkSize>> stage_sizes(const Topology& topology, std::uint32_t slots);

// The number of decoder layers in each stage of Megatron's --pipeline-model-parallel-layout. Fails with usage.
Result<std::vector<std::uint32_t>> parse_pipeline_layout(const std::string& text);

}  // namespace ckpt
