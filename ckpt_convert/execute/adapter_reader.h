// AdapterReader: adds what a low-rank adapter changes to elements of its weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

class AdapterReader {
public:
    explicit AdapterReader(const TensorIndex& source) : source_(source) {}

    // `elements`: of the weight, from number `first` of the row-major tensor on, in its type. The product is summed in f32 in the
    // order of the rank, scaled, added to the weight in f32, and rounded once.
    base::Status add(const IndexedTensor& weight, std::uint64_t first, std::span<std::byte> elements);

private:
    base::Status read_floats(const StoredNumbers& numbers, std::uint64_t first, std::uint64_t count,
                             std::vector<float>& out);

    const TensorIndex& source_;
    std::vector<std::byte> raw_;
    std::vector<float> left_;
    // The right factor of one matrix, which all of its rows need.
    std::vector<float> right_;
    const Adapter* right_of_ = nullptr;
    std::uint64_t right_matrix_ = 0;
    std::vector<float> sum_;
    std::vector<float> row_;
};

}  // namespace ckpt
