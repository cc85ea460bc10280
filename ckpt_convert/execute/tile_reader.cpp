#include "ckpt_convert/execute/tile_reader.h"

#include <algorithm>

#include "ckpt_convert/execute/box_math.h"
#include "ckpt_convert/execute/byte_runs.h"
#include "ckpt_convert/tensor/strided_copy.h"

namespace ckpt {

bool part_in_tile(const StoredPiece& piece, RowRange rows, TilePart& part) {
    std::uint64_t begin = std::max(rows.begin, piece.in_logical[0]);
    std::uint64_t end = std::min(rows.end, piece.in_logical[0] + piece.extent[0]);
    if (begin >= end) return false;
    part = {piece.in_stored, piece.in_logical, piece.extent};
    // The rows of the tensor are the stored axis behind those in front.
    part.in_stored[piece.in_stored.size() - piece.extent.size()] += begin - piece.in_logical[0];
    part.in_tile[0] = begin - rows.begin;
    part.extent[0] = end - begin;
    return true;
}

std::vector<RowRange> tile_rows(const Shape& shape, DType dtype, std::uint64_t tile_bytes) {
    std::uint64_t row_bytes = std::max<std::uint64_t>(*checked_bytes(shape, dtype) / shape[0], 1);
    std::uint64_t step = std::max<std::uint64_t>(tile_bytes / row_bytes, 1);
    std::vector<RowRange> out;
    for (std::uint64_t row = 0; row < shape[0]; row += std::min(step, shape[0] - row))
        out.push_back({row, row + std::min(step, shape[0] - row)});
    return out;
}

std::uint64_t tile_bytes_within(std::uint64_t memory_bytes, int threads) {
    // A thread holds a tile up to four times: as read, gathered, cast and packed.
    std::uint64_t per_thread = memory_bytes / static_cast<std::uint64_t>(threads) / 4;
    return std::clamp<std::uint64_t>(per_thread, 64 << 10, 8 << 20);
}

Result<std::span<const std::byte>> TileReader::read(const Shape& shape, DType dtype,
                                                    const std::vector<StoredPiece>& pieces, RowRange rows) {
    Shape tile_shape = shape;
    tile_shape[0] = rows.end - rows.begin;
    tile_.resize(*checked_bytes(tile_shape, dtype));
    for (const StoredPiece& piece : pieces) TRY(read_piece(shape, dtype, rows, piece));
    return std::span<const std::byte>(tile_);
}

Result<std::span<const std::byte>> TileReader::overlay(const Shape& shape, DType dtype,
                                                       const std::vector<StoredPiece>& pieces, RowRange rows,
                                                       std::span<const std::byte> background) {
    tile_.assign(background.begin(), background.end());
    for (const StoredPiece& piece : pieces) TRY(read_piece(shape, dtype, rows, piece));
    return std::span<const std::byte>(tile_);
}

Status TileReader::read_piece(const Shape& shape, DType dtype, RowRange rows, const StoredPiece& piece) {
    TilePart part;
    if (!part_in_tile(piece, rows, part)) return {};
    const IndexedTensor& stored = source_.tensors[piece.tensor];
    std::uint64_t size = bits(dtype) / 8;
    std::vector<std::uint64_t> tile_strides = byte_strides(row_major_strides(shape), size);
    std::vector<std::uint64_t> stored_strides =
        byte_strides(piece.strides.empty() ? stored.strides : piece.strides, size);
    std::byte* into = tile_.data() + dot(part.in_tile, tile_strides);
    std::uint64_t begin = dot(part.in_stored, stored_strides);
    stored_strides.erase(stored_strides.begin(),
                         stored_strides.end() - static_cast<std::ptrdiff_t>(part.extent.size()));

    ByteRuns runs(part.extent, stored_strides, size, true);
    if (runs.is_single() && runs.packed_strides == tile_strides && whole_rows(part.extent, shape)) {
        TRY(read_bytes(stored, begin, {into, runs.total_bytes()}));
    } else {
        scratch_.resize(runs.total_bytes());
        TRY(runs.each([&](std::uint64_t offset, std::uint64_t packed, std::uint64_t bytes) {
            return read_bytes(stored, begin + offset, {scratch_.data() + packed, bytes});
        }));
        copy_box(into, tile_strides, scratch_.data(), runs.packed_strides, part.extent, size);
    }
    // Of runs that are far apart, the pages between them are needed soon.
    if (runs.is_single() && runs.total_bytes() >= kCacheHintBytes && !stored.quantised && !stored.flat.vector)
        source_.files[stored.file]->drop_cache(stored.offset + begin, runs.total_bytes());
    return {};
}

Status TileReader::read_bytes(const IndexedTensor& stored, std::uint64_t offset, std::span<std::byte> out) {
    if (stored.quantised) return quantised_.read(stored, offset / (bits(stored.dtype) / 8), out);
    if (stored.flat.vector) return read_flat(stored, offset, out);
    return source_.files[stored.file]->read_at(stored.offset + offset, out);
}

Status TileReader::read_flat(const IndexedTensor& stored, std::uint64_t offset, std::span<std::byte> out) {
    const std::uint64_t size = bits(stored.dtype) / 8, first = offset / size;
    return each_run(stored.flat, stored.elements(), first, first + out.size() / size,
                    [&](const FlatRun& run, std::uint64_t number) {
                        return source_.files[run.file]->read_at(
                            run.offset, out.subspan((number - first) * size, run.elements * size));
                    });
}

}  // namespace ckpt
