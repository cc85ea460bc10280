#include "ckpt_convert/execute/tile_copier.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "ckpt_convert/tensor/strided_copy.h"

namespace ckpt {
namespace {

using base::Status;

// A strided view of a source is read through the range of bytes it spans; this bounds that range.
constexpr std::uint64_t kMaxSpanBytes = 256ull << 20;
// Transfers from this size on are told to the page cache.
constexpr std::uint64_t kCacheHintBytes = 1ull << 20;

std::vector<std::uint64_t> byte_strides(const std::vector<std::uint64_t>& strides, std::uint64_t element_bytes) {
    std::vector<std::uint64_t> out;
    for (std::uint64_t stride : strides) out.push_back(stride * element_bytes);
    return out;
}

std::uint64_t dot(const Shape& offset, const std::vector<std::uint64_t>& strides) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < offset.size(); ++i) sum += offset[i] * strides[i];
    return sum;
}

// True when the region is one contiguous range of a dense tensor: all axes but the first are whole.
bool whole_rows(const Shape& extent, const Shape& shape) {
    return std::equal(extent.begin() + 1, extent.end(), shape.begin() + 1);
}

// The part of a piece that lies in the tile's rows; false when there is none.
struct Part {
    Shape in_stored;
    Shape in_tile;
    Shape extent;
};

bool intersect(const StoredPiece& piece, RowRange rows, Part& part) {
    std::uint64_t begin = std::max(rows.begin, piece.in_logical[0]);
    std::uint64_t end = std::min(rows.end, piece.in_logical[0] + piece.extent[0]);
    if (begin >= end) return false;
    part = {piece.in_stored, piece.in_logical, piece.extent};
    part.in_stored[0] += begin - piece.in_logical[0];
    part.in_tile[0] = begin - rows.begin;
    part.extent[0] = end - begin;
    return true;
}

}  // namespace

Status TileCopier::copy(const LogicalMove& move, RowRange rows, bool with_crc, std::vector<WrittenRun>& runs) {
    Shape tile_shape = move.shape;
    tile_shape[0] = rows.end - rows.begin;
    tile_.resize(*checked_bytes(tile_shape, move.dtype));
    for (const StoredPiece& piece : move.sources) TRY(read_piece(move, rows, piece));
    for (const StoredPiece& piece : move.targets) TRY(write_piece(move, rows, piece, with_crc, runs));
    return {};
}

Status TileCopier::read_piece(const LogicalMove& move, RowRange rows, const StoredPiece& piece) {
    Part part;
    if (!intersect(piece, rows, part)) return {};
    const IndexedTensor& stored = source_.tensors[piece.tensor];
    base::ReadableFile& file = *source_.files[stored.file];
    std::uint64_t size = bits(move.dtype) / 8;
    std::vector<std::uint64_t> tile_strides = byte_strides(row_major_strides(move.shape), size);
    std::vector<std::uint64_t> stored_strides = byte_strides(stored.strides, size);
    std::byte* into = tile_.data() + dot(part.in_tile, tile_strides);

    // First and last byte of the part in the file.
    std::uint64_t begin = stored.offset + dot(part.in_stored, stored_strides);
    std::uint64_t span = size;
    for (std::size_t i = 0; i < part.extent.size(); ++i) span += (part.extent[i] - 1) * stored_strides[i];
    bool contiguous = stored.contiguous && whole_rows(part.extent, stored.shape);
    if (contiguous && whole_rows(part.extent, move.shape)) {
        TRY(file.read_at(begin, {into, span}));
    } else {
        if (span > kMaxSpanBytes) {
            return base::fail(
                base::ErrorKind::unsupported,
                base::format("{} is a strided view over {} bytes; save it contiguous first", stored.name, span),
                file.path());
        }
        scratch_.resize(span);
        TRY(file.read_at(begin, scratch_));
        copy_box(into, tile_strides, scratch_.data(), stored_strides, part.extent, size);
    }
    if (span >= kCacheHintBytes) file.drop_cache(begin, span);
    return {};
}

Status TileCopier::write_piece(const LogicalMove& move, RowRange rows, const StoredPiece& piece, bool with_crc,
                               std::vector<WrittenRun>& runs) {
    Part part;
    if (!intersect(piece, rows, part)) return {};
    const TargetTensor& target = plan_.targets[piece.tensor];
    const TargetPlace& place = places_[piece.tensor];
    std::uint64_t size = bits(move.dtype) / 8;
    std::vector<std::uint64_t> tile_strides = byte_strides(row_major_strides(move.shape), size);
    std::vector<std::uint64_t> target_strides = byte_strides(row_major_strides(target.shape), size);
    const std::byte* from = tile_.data() + dot(part.in_tile, tile_strides);

    auto put = [&](std::uint64_t offset, base::ByteSpan data) -> Status {
        TRY(place.file->write_at(place.offset + offset, data));
        if (data.size() >= kCacheHintBytes) place.file->write_behind(place.offset + offset, data.size());
        runs.push_back({piece.tensor, offset, data.size(), with_crc ? crc32(data) : 0});
        return {};
    };
    std::uint64_t bytes = *checked_bytes(part.extent, move.dtype);
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
    Shape row_extent = part.extent;
    row_extent[0] = 1;
    CHECK(part.extent.size() == 2);  // joins along an inner axis exist for matrices only
    for (std::uint64_t row = 0; row < part.extent[0]; ++row) {
        TRY(put(begin + row * target_strides[0], {from + row * row_bytes, row_bytes}));
    }
    return {};
}

}  // namespace ckpt
