#include "ckpt_convert/execute/quantised_reader.h"

#include <algorithm>

#include "ckpt_convert/tensor/cast.h"

namespace ckpt {

Status QuantisedReader::read_numbers(const StoredNumbers& numbers, std::uint64_t first, std::uint64_t count,
                                     std::vector<float>& out) {
    std::uint64_t size = bits(numbers.dtype) / 8;
    raw_.resize(count * size);
    TRY(source_.files[numbers.file]->read_at(numbers.offset + first * size, raw_));
    out.resize(count);
    scales_to_f32(out.data(), raw_.data(), numbers.dtype, count);
    return {};
}

Status QuantisedReader::read(const IndexedTensor& tensor, std::uint64_t first, std::span<std::byte> out) {
    const Quantised& how = *tensor.quantised;
    std::uint64_t size = bits(tensor.dtype) / 8, end = first + out.size() / size;
    if (first == end) return {};
    // The row of scales for a row of values.
    auto scale_row = [&](std::uint64_t row) {
        return row / how.rows * how.scale_rows() + row % how.rows / how.block_rows;
    };
    std::uint64_t first_scales = scale_row(first / how.columns), columns = how.scale_columns();
    std::uint64_t count = (scale_row((end - 1) / how.columns) + 1 - first_scales) * columns;
    TRY(read_numbers(how.scales, first_scales * columns, count, scales_));
    if (how.offsets) TRY(read_numbers(*how.offsets, first_scales * columns, count, offsets_));

    std::uint64_t per_byte = 8 / bits(how.code), begin = first / per_byte;
    raw_.resize((end - 1) / per_byte + 1 - begin);
    TRY(source_.files[tensor.file]->read_at(tensor.offset + begin, raw_));
    while (first < end) {
        std::uint64_t row = first / how.columns, column = first % how.columns;
        std::uint64_t width = std::min(how.columns - column, end - first);
        row_.resize(width);
        decode_values(row_.data(), raw_, how.code, first - begin * per_byte, width);
        std::uint64_t scales = (scale_row(row) - first_scales) * columns;
        for (std::uint64_t at = 0; at < width;) {
            std::uint64_t block = (column + at) / how.block_columns;
            std::uint64_t stop = std::min(width, (block + 1) * how.block_columns - column);
            float scale = scales_[scales + block], offset = how.offsets ? offsets_[scales + block] : 0;
            for (; at < stop; ++at) row_[at] = (row_[at] - offset) * scale;
        }
        cast(out.data(), tensor.dtype, reinterpret_cast<const std::byte*>(row_.data()), DType::f32, width);
        out = out.subspan(width * size);
        first += width;
    }
    return {};
}

}  // namespace ckpt
