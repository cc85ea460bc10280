// How many layers each chunk of each pipeline rank holds, in the order in which they run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt_convert/plan/topology.h"

namespace ckpt {

struct ChunkSize {
    ChunkPosition position;
    std::uint32_t slots = 0;
    std::uint32_t modules = 0;  // for multi-token prediction, where a pipeline layout says it
};

// A stage of Megatron's --pipeline-model-parallel-layout.
struct StageLetters {
    std::uint32_t layers = 0;   // t
    std::uint32_t modules = 0;  // m
};

// One entry for each chunk of each rank; they add up to `slots`. Fails with usage.
Result<std::vector<ChunkSize>> stage_sizes(const Topology& topology, std::uint32_t slots);

// Of Megatron's --pipeline-model-parallel-layout. Fails with usage.
Result<std::vector<StageLetters>> parse_pipeline_layout(const std::string& text);

}  // namespace ckpt
