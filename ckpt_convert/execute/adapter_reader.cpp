#include "ckpt_convert/execute/adapter_reader.h"

#include <algorithm>

#include "ckpt_convert/tensor/cast.h"

namespace ckpt {

using base::Status;

Status AdapterReader::read_floats(const StoredNumbers& numbers, std::uint64_t first, std::uint64_t count,
                                  std::vector<float>& out) {
    std::uint64_t size = bits(numbers.dtype) / 8;
    raw_.resize(count * size);
    TRY(source_.files[numbers.file]->read_at(numbers.offset + first * size, raw_));
    out.resize(count);
    cast(reinterpret_cast<std::byte*>(out.data()), DType::f32, raw_.data(), numbers.dtype, count);
    return {};
}

Status AdapterReader::add(const IndexedTensor& weight, std::uint64_t first, std::span<std::byte> elements) {
    const Adapter& adapter = *weight.adapter;
    std::uint64_t size = bits(weight.dtype) / 8, rank = adapter.rank;
    while (!elements.empty()) {
        std::uint64_t row = first / adapter.columns, column = first % adapter.columns, matrix = row / adapter.rows;
        std::uint64_t width = std::min<std::uint64_t>(adapter.columns - column, elements.size() / size);
        if (right_of_ != &adapter || right_matrix_ != matrix) {
            std::uint64_t count = rank * adapter.columns;
            TRY(read_floats(adapter.right, matrix * count, count, right_));
            right_of_ = &adapter;
            right_matrix_ = matrix;
        }
        TRY(read_floats(adapter.left, row * rank, rank, left_));
        sum_.assign(width, 0.0f);
        for (std::uint64_t k = 0; k < rank; ++k) {
            const float* right = right_.data() + k * adapter.columns + column;
            for (std::uint64_t i = 0; i < width; ++i) sum_[i] += left_[k] * right[i];
        }
        row_.resize(width);
        cast(reinterpret_cast<std::byte*>(row_.data()), DType::f32, elements.data(), weight.dtype, width);
        for (std::uint64_t i = 0; i < width; ++i) row_[i] += adapter.scale * sum_[i];
        cast(elements.data(), weight.dtype, reinterpret_cast<const std::byte*>(row_.data()), DType::f32, width);
        elements = elements.subspan(width * size);
        first += width;
    }
    return {};
}

}  // namespace ckpt
