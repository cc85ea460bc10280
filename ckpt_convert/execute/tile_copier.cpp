#include "ckpt_convert/execute/tile_copier.h"

#include <algorithm>

#include "base/check.h"
#include "ckpt_convert/execute/box_math.h"
#include "ckpt_convert/execute/byte_runs.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "ckpt_convert/tensor/strided_copy.h"

namespace ckpt {

Result<CastLosses> TileCopier::copy(const LogicalMove& move, RowRange rows, std::vector<WrittenRun>& runs) {
    TRY_ASSIGN(tile_, reader_.read(move.shape, move.dtype, move.sources, rows));
    TRY_ASSIGN(tile_, adapters_.merged(tile_, move.shape, move.dtype, rows, move.adapter));
    CastLosses losses;
    cast_to_.reset();
    for (const StoredPiece& piece : move.targets)
        TRY(write_piece(move, rows, piece, tile_as(plan_.targets[piece.tensor].dtype, move, losses), runs));
    return losses;
}

std::span<const std::byte> TileCopier::tile_as(DType wanted, const LogicalMove& move, CastLosses& losses) {
    if (wanted == move.dtype && move.plus == 0) return tile_;
    // Targets of one type follow each other, so that nothing is cast twice.
    if (cast_to_ != wanted) {
        const std::size_t count = tile_.size() / (bits(move.dtype) / 8);
        cast_.resize(count * (bits(wanted) / 8));
        losses.add(cast(cast_.data(), wanted, tile_.data(), move.dtype, count, move.plus));
        cast_to_ = wanted;
    }
    return cast_;
}

Status TileCopier::write_piece(const LogicalMove& move, RowRange rows, const StoredPiece& piece,
                               std::span<const std::byte> tile, std::vector<WrittenRun>& written) {
    TilePart part;
    if (!part_in_tile(piece, rows, part)) return {};
    const TargetTensor& target = plan_.targets[piece.tensor];
    std::uint64_t size = bits(target.dtype) / 8;
    std::vector<std::uint64_t> tile_strides = byte_strides(row_major_strides(move.shape), size);
    std::vector<std::uint64_t> target_strides =
        byte_strides(target.strides.empty() ? row_major_strides(target.shape) : target.strides.get(), size);
    const std::byte* from = tile.data() + dot(part.in_tile, tile_strides);
    std::uint64_t begin = dot(part.in_stored, target_strides);
    target_strides.erase(target_strides.begin(),
                         target_strides.end() - static_cast<std::ptrdiff_t>(part.extent.size()));

    ByteRuns runs(part.extent, target_strides, size, false);
    bool as_in_tile = runs.packed_strides == tile_strides && whole_rows(part.extent, move.shape);
    if (!as_in_tile) {
        // Packed first, so that every run can be written in one piece.
        scratch_.resize(runs.total_bytes());
        copy_box(scratch_.data(), runs.packed_strides, from, tile_strides, part.extent, size);
        from = scratch_.data();
    }
    TRY(runs.each([&](std::uint64_t offset, std::uint64_t packed, std::uint64_t bytes) -> Status {
        base::ByteSpan data{from + packed, bytes};
        if (target.flat.vector) return write_flat(target, begin + offset, data, written);
        return write_run(piece.tensor, begin + offset, data, written);
    }));
    return {};
}

Status TileCopier::write_run(std::uint32_t number, std::uint64_t offset, base::ByteSpan data,
                             std::vector<WrittenRun>& written) {
    const TargetPlace& place = places_[number];
    CHECK(place.file != nullptr);
    TRY(place.file->write_at(place.offset + offset, data));
    if (data.size() >= kCacheHintBytes) place.file->write_behind(place.offset + offset, data.size());
    written.push_back({number, offset, data.size(), crc32(data)});
    return {};
}

// The files of some shares may be for others to write.
Status TileCopier::write_flat(const TargetTensor& target, std::uint64_t offset, base::ByteSpan data,
                              std::vector<WrittenRun>& written) {
    const std::uint64_t size = bits(target.dtype) / 8, first = offset / size;
    return each_run(target.flat, *checked_elements(target.shape), first, first + data.size() / size,
                    [&](const FlatRun& run, std::uint64_t at) -> Status {
                        const auto number = static_cast<std::uint32_t>(plan_.targets.size() + run.file);
                        if (places_[number].file == nullptr) return {};
                        return write_run(number, run.offset, data.subspan((at - first) * size, run.elements * size),
                                         written);
                    });
}

}  // namespace ckpt
