#include "ckpt_convert/plan/boxed_parts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ckpt_convert/tensor/range_boxes.h"

namespace ckpt {
namespace {

// Which axes of the box, the slowest first, make up each axis of the file.
using AxesOfFile = std::vector<std::vector<std::size_t>>;

// nullopt when an axis of the file is not made of whole axes of the box.
std::optional<AxesOfFile> axes_of_file(const LayoutTensor& tensor) {
    const Shape& file = tensor.shape_in_file();
    const auto steps = row_major_strides(file);
    AxesOfFile out(file.size());
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        if (tensor.shape[axis] == 1) continue;
        for (std::size_t a = 0; a < file.size(); ++a) {
            if (tensor.strides[axis] >= steps[a] && tensor.strides[axis] < steps[a] * file[a]) out[a].push_back(axis);
        }
    }
    for (std::size_t a = 0; a < file.size(); ++a) {
        auto& axes = out[a];
        std::sort(axes.begin(), axes.end(), [&](auto x, auto y) { return tensor.strides[x] > tensor.strides[y]; });
        std::uint64_t step = steps[a], extent = 1;
        for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
            if (tensor.strides[*axis] != step) return std::nullopt;
            step *= tensor.shape[*axis];
            extent *= tensor.shape[*axis];
        }
        if (extent != file[a]) return std::nullopt;
    }
    return out;
}

class PartCutter {
public:
    PartCutter(const LayoutTensor& tensor, AxesOfFile axes) : tensor_(tensor), axes_(std::move(axes)) {
        steps_ = row_major_strides(tensor.shape_in_file());
    }

    // Adds the boxes of a part.
    void cut(const IndexedTensor& part, std::vector<IndexedTensor>& out) const {
        IndexedTensor box = part;
        box.shape = Shape(tensor_.shape.size(), 1);
        box.strides = std::vector<std::uint64_t>(tensor_.shape.size(), 1);
        box.part_offset = Shape(tensor_.shape.size(), 0);
        box.whole_shape = tensor_.shape;
        cut(part, 0, box, out);
    }

private:
    // `box`: as far as the axes of the file before `axis` say.
    void cut(const IndexedTensor& part, std::size_t axis, const IndexedTensor& box,
             std::vector<IndexedTensor>& out) const {
        if (axis == axes_.size()) {
            out.push_back(box);
            out.back().contiguous = box.strides == row_major_strides(box.shape);
            return;
        }
        Shape extents;
        for (std::size_t i : axes_[axis]) extents.push_back(tensor_.shape[i]);
        const std::uint64_t begin = part.part_offset[axis];
        for (const RangeBox& range : boxes_of_range(extents, begin, begin + part.shape[axis])) {
            IndexedTensor next = box;
            next.offset += (range.first - begin) * part.strides[axis] * (bits(part.dtype) / 8);
            for (std::size_t i = 0; i < extents.size(); ++i) {
                const std::size_t of_box = axes_[axis][i];
                next.part_offset.set(of_box, range.offsets[i]);
                next.shape.set(of_box, range.sizes[i]);
                next.strides.set(of_box, tensor_.strides[of_box] / steps_[axis] * part.strides[axis]);
            }
            cut(part, axis + 1, next, out);
        }
    }

    const LayoutTensor& tensor_;
    AxesOfFile axes_;
    std::vector<std::uint64_t> steps_;
};

}  // namespace

TensorNames box_parts(TensorIndex& index, const Layout& layout) {
    std::unordered_map<std::string_view, const LayoutTensor*> wanted;
    for (const LayoutTensor& tensor : layout.tensors) {
        if (!tensor.strides.empty()) wanted.emplace(tensor.name, &tensor);
    }
    TensorNames out;
    std::vector<IndexedTensor> boxes;
    std::vector<bool> gone(index.tensors.size(), false);
    for (std::size_t i = 0; i < index.tensors.size() && !wanted.empty(); ++i) {
        const IndexedTensor& part = index.tensors[i];
        const auto found = wanted.find(part.name);
        if (found == wanted.end() || part.whole_shape != found->second->shape_in_file() || bits(part.dtype) % 8 != 0)
            continue;
        auto axes = axes_of_file(*found->second);
        if (!axes) continue;
        PartCutter(*found->second, std::move(*axes)).cut(part, boxes);
        gone[i] = true;
        out.insert(part.name);
    }
    if (out.empty()) return out;
    index.take_out(gone);
    std::move(boxes.begin(), boxes.end(), std::back_inserter(index.tensors));
    return out;
}

void take_boxed(Layout& layout, const TensorNames& boxed) {
    for (LayoutTensor& tensor : layout.tensors) {
        if (!boxed.contains(tensor.name)) continue;
        tensor.file_shape.clear();
        tensor.strides.clear();
    }
}

}  // namespace ckpt
