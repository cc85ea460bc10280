#include "ckpt_convert/execute/adapter_reader.h"

#include "ckpt_convert/tensor/cast.h"

namespace ckpt {

Status AdapterReader::read_floats(const Shape& shape, const LogicalSource& factor, RowRange rows,
                                  std::vector<float>& out) {
    TRY_ASSIGN(auto tile, factors_.read(shape, factor.dtype, factor.pieces, rows));
    out.resize(tile.size() / (bits(factor.dtype) / 8));
    cast(reinterpret_cast<std::byte*>(out.data()), DType::f32, tile.data(), factor.dtype, out.size());
    return {};
}

Result<std::span<const std::byte>> AdapterReader::merged(std::span<const std::byte> tile, const Shape& shape,
                                                         DType dtype, RowRange rows,
                                                         const std::shared_ptr<const LowRankSum>& sum) {
    if (sum == nullptr) return tile;
    std::uint64_t rank = sum->rank, columns = shape[1], row_bytes = columns * bits(dtype) / 8;
    if (right_of_ != sum) {
        TRY(read_floats({rank, columns}, sum->right, {0, rank}, right_));
        right_of_ = sum;
    }
    TRY(read_floats({shape[0], rank}, sum->left, rows, left_));
    merged_.resize(tile.size());
    values_.resize(columns);
    for (std::uint64_t i = 0; i < rows.end - rows.begin; ++i) {
        row_.assign(columns, 0.0f);
        for (std::uint64_t k = 0; k < rank; ++k) {
            const float* right = right_.data() + k * columns;
            float left = left_[i * rank + k];
            for (std::uint64_t column = 0; column < columns; ++column) row_[column] += left * right[column];
        }
        cast(reinterpret_cast<std::byte*>(values_.data()), DType::f32, tile.data() + i * row_bytes, dtype, columns);
        for (std::uint64_t column = 0; column < columns; ++column) values_[column] += sum->scale * row_[column];
        cast(merged_.data() + i * row_bytes, dtype, reinterpret_cast<const std::byte*>(values_.data()), DType::f32,
             columns);
    }
    return std::span<const std::byte>(merged_);
}

}  // namespace ckpt
