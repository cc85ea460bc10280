// AdapterReader: adds what a low-rank adapter changes to tiles of its weight.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ckpt_convert/execute/tile_reader.h"

namespace ckpt {

class AdapterReader {
public:
    explicit AdapterReader(const TensorIndex& source) : factors_(source) {}

    // The rows of a matrix with the sum added; `tile` itself when there is none. The product is summed in f32 in the order of
    // the rank, scaled, added to the weight in f32, and rounded once. Valid until the next call.
    Result<std::span<const std::byte>> merged(std::span<const std::byte> tile, const Shape& shape, DType dtype,
                                              RowRange rows, const std::shared_ptr<const LowRankSum>& sum);

private:
    Status read_floats(const Shape& shape, const LogicalSource& factor, RowRange rows, std::vector<float>& out);

    TileReader factors_;
    std::vector<float> left_;
    // The right factor, which all rows of a weight need.
    std::vector<float> right_;
    std::shared_ptr<const LowRankSum> right_of_;
    std::vector<float> row_;
    std::vector<float> values_;
    std::vector<std::byte> merged_;
};

}  // namespace ckpt
