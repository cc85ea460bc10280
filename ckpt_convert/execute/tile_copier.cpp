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
    // All targets of a conversion have one element type, or that of the source.
    DType wanted = move.targets.empty() ? move.dtype : plan_.targets[move.targets.front().tensor].dtype;
    if (wanted != move.dtype || move.plus != 0) {
        std::size_t count = tile_.size() / (bits(move.dtype) / 8);
        cast_.resize(count * (bits(wanted) / 8));
        losses = cast(cast_.data(), wanted, tile_.data(), move.dtype, count, move.plus);
        tile_ = cast_;
    }
    for (const StoredPiece& piece : move.targets) TRY(write_piece(move, rows, piece, runs));
    return losses;
}

Status TileCopier::write_piece(const LogicalMove& move, RowRange rows, const StoredPiece& piece,
                               std::vector<WrittenRun>& written) {
    TilePart part;
    if (!part_in_tile(piece, rows, part)) return {};
    const TargetTensor& target = plan_.targets[piece.tensor];
    const TargetPlace& place = places_[piece.tensor];
    CHECK(place.file != nullptr);
    std::uint64_t size = bits(target.dtype) / 8;
    std::vector<std::uint64_t> tile_strides = byte_strides(row_major_strides(move.shape), size);
    std::vector<std::uint64_t> target_strides =
        byte_strides(target.strides.empty() ? row_major_strides(target.shape) : target.strides, size);
    const std::byte* from = tile_.data() + dot(part.in_tile, tile_strides);
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
        offset += begin;
        TRY(place.file->write_at(place.offset + offset, data));
        if (bytes >= kCacheHintBytes) place.file->write_behind(place.offset + offset, bytes);
        written.push_back({piece.tensor, offset, bytes, crc32(data)});
        return {};
    }));
    return {};
}

}  // namespace ckpt
