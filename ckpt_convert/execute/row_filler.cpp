#include "ckpt_convert/execute/row_filler.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/format.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kMeanTileBytes = 4ull << 20;

const LogicalMove& move_of(const ConversionPlan& plan, std::uint32_t logical) {
    return *std::find_if(plan.moves.begin(), plan.moves.end(),
                         [&](const LogicalMove& move) { return move.logical == logical; });
}

// The mean of all rows, as one row of `dtype`. Sums in double, in the order of the rows.
Result<std::vector<std::byte>> mean_row(const LogicalMove& move, const TensorIndex& source, DType dtype) {
    if (!can_cast(move.dtype, DType::f32)) {
        return base::fail(ErrorKind::unsupported,
                          base::format("padding with the mean of {} needs floating-point weights, not {}", move.title(),
                                       name(move.dtype)));
    }
    std::uint64_t rows = move.shape[0], columns = *checked_elements(move.shape) / rows;
    TileReader reader(source);
    AdapterReader adapters(source);
    std::vector<double> sums(columns, 0.0);
    std::vector<float> values(columns);
    std::size_t row_bytes = columns * bits(move.dtype) / 8;
    for (RowRange range : tile_rows(move.shape, move.dtype, kMeanTileBytes)) {
        TRY_ASSIGN(auto tile, reader.read(move.shape, move.dtype, move.sources, range));
        TRY_ASSIGN(tile, adapters.merged(tile, move.shape, move.dtype, range, move.adapter));
        for (std::uint64_t i = 0; i < range.end - range.begin; ++i) {
            cast(reinterpret_cast<std::byte*>(values.data()), DType::f32, tile.data() + i * row_bytes, move.dtype,
                 columns);
            for (std::size_t column = 0; column < columns; ++column) sums[column] += double{values[column]};
        }
    }
    for (std::size_t column = 0; column < columns; ++column)
        values[column] = static_cast<float>(sums[column] / static_cast<double>(rows));
    std::vector<std::byte> out(columns * bits(dtype) / 8);
    cast(out.data(), dtype, reinterpret_cast<const std::byte*>(values.data()), DType::f32, columns);
    return out;
}

}  // namespace

Status fill_rows(const ConversionPlan& plan, const TensorIndex& source, const std::vector<TargetPlace>& places,
                 RunSums& runs) {
    std::map<std::uint32_t, std::vector<std::byte>> means;  // by logical tensor
    for (const FilledRows& fill : plan.fills) {
        const TargetTensor& target = plan.targets[fill.target];
        std::uint64_t row_bytes = *checked_bytes(target.shape, target.dtype) / target.shape[0];
        std::vector<std::byte> row(row_bytes, std::byte{0});
        if (fill.fill == VocabFill::mean) {
            auto& mean = means[fill.logical];
            if (mean.empty()) {
                TRY_ASSIGN(mean, mean_row(move_of(plan, fill.logical), source, target.dtype));
            }
            row = mean;
        }
        const TargetPlace& place = places[fill.target];
        for (std::uint64_t i = 0; i < fill.rows; ++i) {
            std::uint64_t offset = (fill.first_row + i) * row_bytes;
            TRY(place.file->write_at(place.offset + offset, row));
            runs.add({fill.target, offset, row_bytes, crc32(row)});
        }
    }
    return {};
}

}  // namespace ckpt
