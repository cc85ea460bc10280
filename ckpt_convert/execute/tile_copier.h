// TileCopier: moves one tile - a range of rows of a logical tensor - from its source pieces to its target pieces.
//
//   source pieces --read--> tile (rows, full width) --write--> target pieces
//
// A tile's rows are contiguous in every stored tensor that holds whole rows of its shard, so both sides are large
// sequential transfers, and no source byte is read twice however many ranks need it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/execute/adapter_reader.h"
#include "ckpt_convert/plan/conversion_plan.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {

// Where target tensors are.
struct TargetPlace {
    base::WritableFile* file = nullptr;
    std::uint64_t offset = 0;
};

// A contiguous write, for the checksum of its tensor.
struct WrittenRun {
    std::uint32_t target = 0;
    std::uint64_t offset = 0;  // in the tensor's payload, bytes
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0;
};

class TileCopier {
public:
    TileCopier(const ConversionPlan& plan, const TensorIndex& source, const std::vector<TargetPlace>& places)
        : plan_(plan), places_(places), reader_(source), adapters_(source) {}

    // `runs` receives every write. Returns what casts lost.
    Result<CastLosses> copy(const LogicalMove& move, RowRange rows, std::vector<WrittenRun>& runs);

private:
    // The tile in the element type of a target.
    std::span<const std::byte> tile_as(DType wanted, const LogicalMove& move, CastLosses& losses);
    Status write_piece(const LogicalMove& move, RowRange rows, const StoredPiece& piece,
                       std::span<const std::byte> tile, std::vector<WrittenRun>& written);
    // Bytes of a target, from `offset` on.
    Status write_run(std::uint32_t number, std::uint64_t offset, base::ByteSpan data, std::vector<WrittenRun>& written);
    Status write_flat(const TargetTensor& target, std::uint64_t offset, base::ByteSpan data,
                      std::vector<WrittenRun>& written);

    const ConversionPlan& plan_;
    const std::vector<TargetPlace>& places_;
    TileReader reader_;
    AdapterReader adapters_;
    std::vector<std::byte> cast_;
    std::optional<DType> cast_to_;     // what cast_ holds of the tile
    std::span<const std::byte> tile_;  // of the source's element type
    std::vector<std::byte> scratch_;
};

}  // namespace ckpt
