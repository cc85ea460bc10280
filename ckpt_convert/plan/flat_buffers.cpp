#include "ckpt_convert/plan/flat_buffers.h"

#include <algorithm>

namespace ckpt {
namespace {

// Parameters begin at multiples of this many elements of their bucket (Megatron: param_and_grad_buffer.py).
constexpr std::uint64_t kAlignedElements = 64;

// Gradients are computed from the last parameter to the first, and that is how the buffer is filled. The files leave out
// what fills up a bucket for the data-parallel ranks.
void fill(FlatBufferLayout& buffer, const std::vector<FlatParameter>& parameters,
          std::optional<std::uint64_t> bucket_elements) {
    std::uint64_t bucket = 0, end = 0;  // the end is counted from the start of the bucket
    for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
        if (parameter->dtype != buffer.parameters) continue;
        end = (end + kAlignedElements - 1) / kAlignedElements * kAlignedElements;
        buffer.places.push_back({parameter->tensor, bucket + end});
        end += parameter->elements;
        buffer.elements = bucket + end;
        if (!bucket_elements || end < *bucket_elements) continue;
        bucket += end;
        end = 0;
    }
}

}  // namespace

std::vector<FlatBufferLayout> flat_buffers(const std::vector<FlatParameter>& parameters,
                                           std::optional<std::uint64_t> bucket_elements) {
    std::vector<FlatBufferLayout> out;
    for (const FlatParameter& parameter : parameters) {
        bool known = std::any_of(out.begin(), out.end(),
                                 [&](const FlatBufferLayout& buffer) { return buffer.parameters == parameter.dtype; });
        if (!known) out.push_back({parameter.dtype, 0, {}});
    }
    for (FlatBufferLayout& buffer : out) fill(buffer, parameters, bucket_elements);
    return out;
}

}  // namespace ckpt
