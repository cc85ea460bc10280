// Where Megatron's distributed optimizer keeps the state of each parameter: in flat buffers of the whole model chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

struct FlatParameter {
    std::uint32_t tensor = 0;  // what the caller calls it
    DType dtype = DType::bf16;
    std::uint64_t elements = 0;
};

struct FlatPlace {
    std::uint32_t tensor = 0;
    std::uint64_t first = 0;  // element of the buffer
};

// The parameters of one element type.
struct FlatBufferLayout {
    DType parameters = DType::bf16;
    std::uint64_t elements = 0;
    std::vector<FlatPlace> places;  // from the start of the buffer
};

// The buffers of a chunk, whose parameters are given in the order of registration. A run that reduces gradients while it
// computes them has buckets of at least `bucket_elements`, behind each of which the places are aligned anew.
std::vector<FlatBufferLayout> flat_buffers(const std::vector<FlatParameter>& parameters,
                                           std::optional<std::uint64_t> bucket_elements);

}  // namespace ckpt
