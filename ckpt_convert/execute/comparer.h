// Comparer: reads logical tensors from two places and says where they differ.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/plan/source_binding.h"

namespace ckpt {

// A checkpoint whose logical tensors can be read.
struct Readable {
    const TensorIndex* index = nullptr;
    const SourceBinding* binding = nullptr;
    const Model* model = nullptr;
};

struct TensorDifference {
    std::string tensor;  // "layers.3.attention.q"
    std::string what;    // "17 of 4096 values differ, first at [3, 5]: 0.5 and 0.25"
};

struct CompareOptions {
    int threads = 0;
    std::uint64_t tile_bytes = 4ull << 20;
    std::function<void(std::uint64_t bytes)> progress = [](std::uint64_t) {};
    bool zeros_are_nothing = false;  // a tensor of zeros is as one that is not there: a factor of an adapter
};

// The tensors that are not equal in `a` and `b`, or of which one of the two holds copies that differ, in the order of
// the model. When the element types differ, the values are compared in the narrower of the two.
Result<std::vector<TensorDifference>> compare(const Readable& a, const Readable& b, const CompareOptions& options);

// Reads all of `a`: the tensors whose copies on other ranks differ, and those with values that are not finite.
Result<std::vector<TensorDifference>> check_values(const Readable& a, const CompareOptions& options);

}  // namespace ckpt
