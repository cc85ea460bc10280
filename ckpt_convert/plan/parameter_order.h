// The parameters of a model chunk as its optimizers number them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/plan/flat_buffers.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// A weight as a file holds it.
struct StoredParameter {
    std::uint32_t tensor = 0;  // what the caller calls it
    std::string name;          // "model1/decoder.layers.0...": the chunk, and the name in it
    DType dtype = DType::bf16;
    Shape shape;  // in the file
    bool of_experts = false;

    // Megatron has no weight decay for biases and vectors.
    bool decays() const;
};

// The parameters of one optimizer on one rank, chunk by chunk, each in the order of registration.
using ChunkParameters = std::vector<std::vector<StoredParameter>>;

struct RankParameters {
    ChunkParameters dense;    // all of them without an optimizer for experts
    ChunkParameters experts;  // one entry per chunk too
};

// Puts each parameter into its chunk; `own_experts`: experts have an optimizer of their own, as they have when EP > 1.
RankParameters split_parameters(std::vector<StoredParameter> parameters, std::uint32_t chunks, bool virtual_stages,
                                bool own_experts);

// The buffers of an optimizer. `stage`: the pipeline rank; `args`: of the run, which say whether it has buckets.
std::vector<FlatBufferLayout> rank_buffers(const ChunkParameters& chunks, std::uint32_t stage, const Json& args);

}  // namespace ckpt
