#include "ckpt_convert/formats/torch_dist/flattened_tensor.h"

#include <utility>

#include "ckpt_convert/tensor/range_boxes.h"

namespace ckpt {
namespace {

// The shape of a part; empty when the stored shape is not that of equal parts made flat.
Shape part_shape(const Shape& stored, const Shape& whole) {
    if (stored.size() != whole.size() + 1) return {};
    Shape part;
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
        if (stored[axis] == 0 || whole[axis] == 0 || whole[axis] % stored[axis] != 0) return {};
        part.push_back(whole[axis] / stored[axis]);
    }
    return checked_elements(part) == stored.back() ? part : Shape();
}

}  // namespace

std::optional<TorchDistTensor> unflattened(const TorchDistTensor& stored, const Shape& whole) {
    Shape part = part_shape(stored.shape, whole);
    if (part.empty()) return std::nullopt;
    TorchDistTensor out{stored.fqn, stored.dtype, whole, {}};
    for (const TorchDistChunk& chunk : stored.chunks) {
        // More parts than one in a chunk would have to be cut apart; no version of Megatron writes that.
        for (std::size_t axis = 0; axis < whole.size(); ++axis) {
            if (chunk.sizes[axis] != 1) return std::nullopt;
        }
        std::uint64_t begin = chunk.offsets.back(), element = chunk.strides.back();
        for (RangeBox& box : boxes_of_range(part, begin, begin + chunk.sizes.back())) {
            TorchDistChunk piece{std::move(box.offsets), std::move(box.sizes), chunk.file, 0, {}, chunk.contiguous};
            for (std::size_t axis = 0; axis < whole.size(); ++axis)
                piece.offsets[axis] += chunk.offsets[axis] * part[axis];
            piece.file_offset = chunk.file_offset + (box.first - begin) * element * (bits(stored.dtype) / 8);
            for (std::uint64_t stride : row_major_strides(piece.sizes)) piece.strides.push_back(stride * element);
            out.chunks.push_back(std::move(piece));
        }
    }
    return out;
}

}  // namespace ckpt
