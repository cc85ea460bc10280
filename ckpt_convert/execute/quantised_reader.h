// QuantisedReader: reads elements of a quantised tensor as what they stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

class QuantisedReader {
public:
    explicit QuantisedReader(const TensorIndex& source) : source_(source) {}

    // The elements from number `first` of the row-major tensor on, as many as `out` holds, in the tensor's type.
    Status read(const IndexedTensor& tensor, std::uint64_t first, std::span<std::byte> out);

private:
    Status read_numbers(const StoredNumbers& numbers, std::uint64_t first, std::uint64_t count,
                        std::vector<float>& out);

    const TensorIndex& source_;
    std::vector<std::byte> raw_;
    std::vector<float> scales_;
    std::vector<float> offsets_;
    std::vector<float> row_;
};

}  // namespace ckpt
