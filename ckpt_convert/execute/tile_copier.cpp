#include "ckpt_convert/execute/tile_copier.h"

#include <algorithm>

#include "base/check.h"
#include "ckpt_convert/execute/box_math.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "ckpt_convert/tensor/strided_copy.h"

namespace ckpt {

using base::Result;
using base::Status;

Result<CastLosses> TileCopier::copy(const LogicalMove& move, RowRange rows, bool with_crc,
                                    std::vector<WrittenRun>& runs) {
    TRY_ASSIGN(tile_, reader_.read(move.shape, move.dtype, move.sources, rows));
    CastLosses losses;
    // All targets of a conversion have one element type, or that of the source.
    DType wanted = move.targets.empty() ? move.dtype : plan_.targets[move.targets.front().tensor].dtype;
    if (wanted != move.dtype) {
        std::size_t count = tile_.size() / (bits(move.dtype) / 8);
        cast_.resize(count * (bits(wanted) / 8));
        losses = cast(cast_.data(), wanted, tile_.data(), move.dtype, count);
        tile_ = cast_;
    }
    for (const StoredPiece& piece : move.targets) TRY(write_piece(move, rows, piece, with_crc, runs));
    return losses;
}

Status TileCopier::write_piece(const LogicalMove& move, RowRange rows, const StoredPiece& piece, bool with_crc,
                               std::vector<WrittenRun>& runs) {
    TilePart part;
    if (!part_in_tile(piece, rows, part)) return {};
    const TargetTensor& target = plan_.targets[piece.tensor];
    const TargetPlace& place = places_[piece.tensor];
    std::uint64_t size = bits(target.dtype) / 8;
    std::vector<std::uint64_t> tile_strides = byte_strides(row_major_strides(move.shape), size);
    std::vector<std::uint64_t> target_strides = byte_strides(row_major_strides(target.shape), size);
    const std::byte* from = tile_.data() + dot(part.in_tile, tile_strides);

    auto put = [&](std::uint64_t offset, base::ByteSpan data) -> Status {
        TRY(place.file->write_at(place.offset + offset, data));
        if (data.size() >= kCacheHintBytes) place.file->write_behind(place.offset + offset, data.size());
        runs.push_back({piece.tensor, offset, data.size(), with_crc ? crc32(data) : 0});
        return {};
    };
    std::uint64_t bytes = *checked_bytes(part.extent, target.dtype);
    std::uint64_t begin = dot(part.in_stored, target_strides);
    if (!whole_rows(part.extent, move.shape)) {
        // A column range of the tile: packed first, so that it can be written in one piece.
        scratch_.resize(bytes);
        copy_box(scratch_.data(), byte_strides(row_major_strides(part.extent), size), from, tile_strides, part.extent,
                 size);
        from = scratch_.data();
    }
    if (whole_rows(part.extent, target.shape)) return put(begin, {from, bytes});
    std::uint64_t row_bytes = bytes / part.extent[0];
    CHECK(part.extent.size() == 2);  // joins along an inner axis exist for matrices only
    for (std::uint64_t row = 0; row < part.extent[0]; ++row) {
        TRY(put(begin + row * target_strides[0], {from + row * row_bytes, row_bytes}));
    }
    return {};
}

}  // namespace ckpt
