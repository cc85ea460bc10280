#include "ckpt_convert/formats/torch_dist/flattened_tensor.h"

#include <utility>

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

// Cuts ranges of the flat elements of a part into boxes.
class RangeCutter {
public:
    struct PartBox {
        Shape offsets;  // in the part
        Shape sizes;
        std::uint64_t first = 0;  // flat element
    };

    explicit RangeCutter(const Shape& part) : part_(part), steps_(row_major_strides(part)) {}

    std::vector<PartBox> cut(std::uint64_t begin, std::uint64_t end) const {
        std::vector<PartBox> out;
        if (begin < end) cut(begin, end, Shape(part_.size(), 0), 0, out);
        return out;
    }

private:
    // `begin` and `end` are counted from the row at `at`, whose axes before `axis` are set.
    void cut(std::uint64_t begin, std::uint64_t end, Shape at, std::size_t axis, std::vector<PartBox>& out) const {
        std::uint64_t step = steps_[axis];
        auto row = [&](std::uint64_t number, std::uint64_t from, std::uint64_t to) {
            Shape inside = at;
            inside[axis] = number;
            cut(from, to, std::move(inside), axis + 1, out);
        };
        std::uint64_t first = begin / step, last = end / step;
        if (begin % step != 0) {
            row(first, begin % step, first == last ? end % step : step);
            if (first++ == last) return;
        }
        if (first < last) {
            PartBox box{at, Shape(part_.size(), 1), first * step};
            box.offsets[axis] = first;
            box.sizes[axis] = last - first;
            for (std::size_t i = 0; i < axis; ++i) box.first += at[i] * steps_[i];
            for (std::size_t i = axis + 1; i < part_.size(); ++i) box.sizes[i] = part_[i];
            out.push_back(std::move(box));
        }
        if (end % step != 0) row(last, 0, end % step);
    }

    const Shape& part_;
    std::vector<std::uint64_t> steps_;
};

}  // namespace

std::optional<TorchDistTensor> unflattened(const TorchDistTensor& stored, const Shape& whole) {
    Shape part = part_shape(stored.shape, whole);
    if (part.empty()) return std::nullopt;
    RangeCutter cutter(part);
    TorchDistTensor out{stored.fqn, stored.dtype, whole, {}};
    for (const TorchDistChunk& chunk : stored.chunks) {
        // More parts than one in a chunk would have to be cut apart; no version of Megatron writes that.
        for (std::size_t axis = 0; axis < whole.size(); ++axis) {
            if (chunk.sizes[axis] != 1) return std::nullopt;
        }
        std::uint64_t begin = chunk.offsets.back(), element = chunk.strides.back();
        for (auto& box : cutter.cut(begin, begin + chunk.sizes.back())) {
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
