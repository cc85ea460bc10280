// TileReader: reads a range of rows of a logical tensor from the stored tensors that hold its pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/execute/quantised_reader.h"
#include "ckpt_convert/plan/source_binding.h"

namespace ckpt {

struct RowRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// The part of a piece that lies in a tile.
struct TilePart {
    Shape in_stored;
    Shape in_tile;
    Shape extent;
};

// False when no row of the piece is in `rows`.
bool part_in_tile(const StoredPiece& piece, RowRange rows, TilePart& part);

// Cuts a tensor into ranges of rows of at most `tile_bytes`, at least one row each.
std::vector<RowRange> tile_rows(const Shape& shape, DType dtype, std::uint64_t tile_bytes);

// The size of a tile when `threads` threads share `memory_bytes`.
std::uint64_t tile_bytes_within(std::uint64_t memory_bytes, int threads);

class TileReader {
public:
    explicit TileReader(const TensorIndex& source) : source_(source), quantised_(source) {}

    // The rows as dense row-major bytes; valid until the next call.
    Result<std::span<const std::byte>> read(const Shape& shape, DType dtype, const std::vector<StoredPiece>& pieces,
                                            RowRange rows);

    // The rows of `background`, a tile of the same size, with the pieces over them; valid until the next call.
    Result<std::span<const std::byte>> overlay(const Shape& shape, DType dtype, const std::vector<StoredPiece>& pieces,
                                               RowRange rows, std::span<const std::byte> background);

private:
    Status read_piece(const Shape& shape, DType dtype, RowRange rows, const StoredPiece& piece);

    // Bytes of the dense tensor, from `offset` on.
    Status read_bytes(const IndexedTensor& stored, std::uint64_t offset, std::span<std::byte> out);
    Status read_flat(const IndexedTensor& stored, std::uint64_t offset, std::span<std::byte> out);

    const TensorIndex& source_;
    QuantisedReader quantised_;
    std::vector<std::byte> tile_;
    std::vector<std::byte> scratch_;
};

}  // namespace ckpt
