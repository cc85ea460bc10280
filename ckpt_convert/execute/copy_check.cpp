#include "ckpt_convert/execute/copy_check.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "ckpt_convert/execute/tile_reader.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kTileBytes = 1 << 20;

// True when both are the same bytes of the same file, as tied tensors are in what torch.save wrote.
bool is_same_place(const TensorIndex& index, const StoredPiece& a, const StoredPiece& b) {
    const IndexedTensor& first = index.tensors[a.tensor];
    const IndexedTensor& second = index.tensors[b.tensor];
    return first.file == second.file && first.offset == second.offset && first.shape == second.shape &&
           first.strides == second.strides && a.in_stored == b.in_stored && a.in_logical == b.in_logical &&
           a.extent == b.extent && a.strides == b.strides;
}

// Compares all copies of one tensor in one pass over it; `open` are those that are still equal.
Status compare_copies(const Model& model, const TensorIndex& index, const SourceBinding& binding, std::uint32_t logical,
                      std::vector<std::size_t> open, std::vector<bool>& equal) {
    const Shape& shape = model.tensors()[logical].shape;
    const LogicalSource& source = binding.tensors[logical];
    TileReader reader(index), copy_reader(index);
    for (RowRange rows : tile_rows(shape, source.dtype, kTileBytes)) {
        if (open.empty()) return {};
        TRY_ASSIGN(auto tile, reader.read(shape, source.dtype, source.pieces, rows));
        for (std::size_t number : open) {
            TRY_ASSIGN(auto copy, copy_reader.overlay(shape, source.dtype, {binding.copies[number].box}, rows, tile));
            equal[number] = std::memcmp(copy.data(), tile.data(), tile.size()) == 0;
        }
        std::erase_if(open, [&](std::size_t number) { return !equal[number]; });
    }
    return {};
}

}  // namespace

Result<std::vector<std::uint32_t>> filled_padding(const TensorIndex& index, const SourceBinding& binding) {
    std::vector<std::uint32_t> out;
    TileReader reader(index);
    for (const StoredPiece& rows : binding.padding) {
        const DType dtype = index.tensors[rows.tensor].dtype;
        bool zero = true;
        for (RowRange range : tile_rows(rows.extent, dtype, kTileBytes)) {
            TRY_ASSIGN(const auto tile, reader.read(rows.extent, dtype, {rows}, range));
            zero = zero && std::all_of(tile.begin(), tile.end(), [](std::byte byte) { return byte == std::byte{0}; });
        }
        if (!zero) out.push_back(rows.tensor);
    }
    return out;
}

Result<std::vector<bool>> equal_copies(const Model& model, const TensorIndex& index, const SourceBinding& binding) {
    std::vector<bool> equal(binding.copies.size(), true);
    std::map<std::uint32_t, std::vector<std::size_t>> by_logical;
    for (std::size_t i = 0; i < binding.copies.size(); ++i) {
        const TensorCopy& copy = binding.copies[i];
        const LogicalSource& source = binding.tensors[copy.logical];
        equal[i] = copy.dtype == source.dtype;
        bool same = std::any_of(source.pieces.begin(), source.pieces.end(),
                                [&](const StoredPiece& piece) { return is_same_place(index, piece, copy.box); });
        if (equal[i] && !same) by_logical[copy.logical].push_back(i);
    }
    for (auto& [logical, copies] : by_logical)
        TRY(compare_copies(model, index, binding, logical, std::move(copies), equal));
    return equal;
}

}  // namespace ckpt
