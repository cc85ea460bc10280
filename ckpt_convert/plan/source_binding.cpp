#include "ckpt_convert/plan/source_binding.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/format.h"
#include "base/human.h"
#include "ckpt_convert/checkpoint/zeros.h"

namespace ckpt {
namespace {

// The tensor with one axis of 1 more.
IndexedTensor with_axis(IndexedTensor tensor, std::size_t axis) {
    auto add = [&](SharedShape& shape, std::uint64_t value) {
        if (shape.empty()) return;
        Shape longer = shape;
        longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(axis), value);
        shape = std::move(longer);
    };
    add(tensor.shape, 1);
    add(tensor.strides, 1);
    add(tensor.part_offset, 0);
    add(tensor.whole_shape, 1);
    return tensor;
}

class Binder {
public:
    Binder(const Model& model, const TensorIndex& index, const Layout& layout, Bound bound)
        : model_(model), index_(index), layout_(layout), bound_(bound), used_(index.tensors.size(), false) {
        by_name_.reserve(index.tensors.size());
        for (std::uint32_t i = 0; i < index.tensors.size(); ++i)
            by_name_[key(index.tensors[i].file, index.tensors[i].name)].push_back(i);
    }

    Result<SourceBinding> bind(const LeaveOut& leave_out) {
        out_.tensors.resize(model_.tensors().size());
        std::vector<std::string> missing;
        // What is also elsewhere is read from there.
        for (bool copies : {false, true}) {
            for (const LayoutTensor& tensor : layout_.tensors) {
                if (tensor.copy != copies || std::any_of(tensor.pieces.begin(), tensor.pieces.end(),
                                                         [&](const auto& piece) { return !is_bound(piece.logical); }))
                    continue;
                auto found = by_name_.find(key(tensor.file, tensor.name));
                // What is also elsewhere may be left out; check_unused() counts it.
                if (found != by_name_.end() && (tensor.optional || tensor.copy) && leave_out(tensor.name)) continue;
                if (found != by_name_.end()) TRY(add_tensor(tensor, found->second));
                else if (!tensor.optional && !tensor.copy && !is_unused(model_, tensor)) missing.push_back(tensor.name);
            }
        }
        for (std::size_t i = 0; i < out_.tensors.size() && missing.empty(); ++i) {
            // Of tensors that may be in either of two places, none was there.
            const LogicalTensor& tensor = model_.tensors()[i];
            if (is_bound(i) && !tensor.unused && out_.tensors[i].pieces.empty()) missing.push_back(tensor.name);
        }
        if (!missing.empty()) {
            return base::fail(
                ErrorKind::bad_input,
                base::format("{} of {} expected tensors {} missing from the source: {}", missing.size(),
                             layout_.tensors.size(), missing.size() == 1 ? "is" : "are", base::listed(missing)),
                directory());
        }
        if (!idle_.empty())
            out_.notes.push_back(base::format("{} left out, with which the model computes nothing: {}",
                                              base::plural(idle_.size(), "source tensor is", "source tensors are"),
                                              base::listed(idle_)));
        TRY(check_unused(leave_out));
        return std::move(out_);
    }

private:
    bool is_bound(std::size_t logical) const { return bound_ == Bound::all || !model_.tensors()[logical].buffer; }
    std::string key(std::uint32_t file, const std::string& name) const {
        return layout_.by_file ? base::format("{}:{}", file, name) : name;
    }
    std::string directory() const { return index_.files.empty() ? "" : base::parent(index_.files.front()->path()); }
    const std::string& path_of(const IndexedTensor& tensor) const { return index_.files[tensor.file]->path(); }

    // `parts`: the indexed tensors that make it up; one, unless the checkpoint stores tensors in parts.
    Status add_tensor(const LayoutTensor& tensor, const std::vector<std::uint32_t>& parts) {
        for (std::uint32_t part : parts) {
            const IndexedTensor& stored = index_.tensors[part];
            used_[part] = true;
            TRY(check_shape(tensor, stored));
            if (tensor.optional && is_unused(model_, tensor)) continue;
            if (!tensor.strides.empty() && !stored.part_offset.empty())
                return base::fail(
                    ErrorKind::unsupported,
                    base::format("{} is stored in parts, and with its axes in an order in which parts are "
                                 "not read; save it whole first",
                                 stored.name),
                    path_of(stored));
            if (!tensor.strides.empty() && !stored.contiguous && !stored.flat.vector) {
                return base::fail(ErrorKind::unsupported,
                                  base::format("{} is a strided view; save it contiguous first", stored.name),
                                  path_of(stored));
            }
            std::optional<IndexedTensor> widened;
            if (tensor.unit_axis) widened = with_axis(stored, *tensor.unit_axis);
            for (const Piece& piece : tensor.pieces)
                TRY(add_piece(piece, tensor, widened ? widened->strides.get() : tensor.strides, part,
                              widened ? *widened : stored));
        }
        if (tensor.optional && is_unused(model_, tensor)) idle_.push_back(tensor.name);
        if (tensor.fill_zero && tensor.fill_rows > 0 && parts.size() == 1) add_padding(tensor, parts.front());
        return {};
    }

    void add_padding(const LayoutTensor& tensor, std::uint32_t number) {
        StoredPiece rows{number, Shape(tensor.shape.size(), 0), Shape(tensor.shape.size(), 0), tensor.shape};
        rows.in_stored.set(0, tensor.shape[0] - tensor.fill_rows);
        rows.extent.set(0, tensor.fill_rows);
        out_.padding.push_back(std::move(rows));
    }

    Status check_shape(const LayoutTensor& expected, const IndexedTensor& found) const {
        const Shape& whole = found.whole_shape.empty() ? found.shape : found.whole_shape;
        const Shape& wanted = expected.shape_in_file();
        if (wanted == whole) return {};
        return base::fail(ErrorKind::bad_input,
                          base::format("{} has the shape {}, but the configuration asks for {}", found.name,
                                       to_string(whole), to_string(wanted)),
                          path_of(found));
    }

    // The part of a piece that lies in this part of the stored tensor.
    Status add_piece(const Piece& piece, const LayoutTensor& tensor, const std::vector<std::uint64_t>& strides,
                     std::uint32_t number, const IndexedTensor& stored) {
        StoredPiece box{number, shared_(piece.in_stored), shared_(piece.in_logical), shared_(piece.extent),
                        shared_(strides)};
        std::size_t in_front = piece.in_stored.size() - piece.extent.size();
        for (std::size_t axis = 0; axis < stored.part_offset.size(); ++axis) {
            std::uint64_t part_begin = stored.part_offset[axis], part_end = part_begin + stored.shape[axis];
            std::uint64_t begin = std::max(piece.in_stored[axis], part_begin);
            std::uint64_t end = std::min(piece.in_stored[axis] + box.stored_extent(axis), part_end);
            if (begin >= end) return {};
            box.in_stored.set(axis, begin - part_begin);
            if (axis < in_front) continue;
            box.in_logical.set(axis - in_front, box.in_logical[axis - in_front] + begin - piece.in_stored[axis]);
            box.extent.set(axis - in_front, end - begin);
        }
        LogicalSource& source = out_.tensors[piece.logical];
        bool repeats = tensor.optional || ((tensor.copy || tensor.apart != nullptr) && !source.pieces.empty());
        if (repeats) add_copy({piece.logical, stored.dtype, box, tensor.apart});
        if (tensor.optional || (repeats && source.dtype != stored.dtype)) return {};
        if (!source.pieces.empty() && source.dtype != stored.dtype) {
            return base::fail(ErrorKind::bad_input,
                              base::format("{} is {}, but other parts of {} are {}", stored.name, name(stored.dtype),
                                           model_.tensors()[piece.logical].name, name(source.dtype)),
                              path_of(stored));
        }
        source.dtype = stored.dtype;
        if (!source.pieces.empty() && source.plus != tensor.plus)
            return base::fail(
                ErrorKind::rule_data,
                base::format("{} is stored plus different numbers in one layout", model_.tensors()[piece.logical].name),
                model_.mapping().origin);
        source.plus = tensor.plus;
        bool replica =
            piece.again || std::any_of(source.pieces.begin(), source.pieces.end(), [&](const StoredPiece& other) {
                return other.in_logical == box.in_logical && other.extent == box.extent;
            });
        (replica ? source.replicas : source.pieces).push_back(std::move(box));
        return {};
    }

    // Ranks that hold the same box of it are taken to hold the same bits, as of any other weight.
    void add_copy(TensorCopy copy) {
        bool known = layout_.by_file && std::any_of(out_.copies.begin(), out_.copies.end(), [&](const auto& other) {
                         return other.logical == copy.logical && other.apart == copy.apart &&
                                other.box.in_logical == copy.box.in_logical && other.box.extent == copy.box.extent;
                     });
        if (!known) out_.copies.push_back(std::move(copy));
    }

    Status check_unused(const LeaveOut& leave_out) {
        std::vector<std::string> unexpected;
        std::map<std::string, std::size_t> left_out;
        for (std::size_t i = 0; i < used_.size(); ++i) {
            if (used_[i]) continue;
            if (auto reason = leave_out(index_.tensors[i].name)) ++left_out[*reason];
            else unexpected.push_back(index_.tensors[i].name);
        }
        for (const auto& [reason, count] : left_out) {
            out_.notes.push_back(
                base::format("{} source {} left out: {}", count, count == 1 ? "tensor is" : "tensors are", reason));
        }
        if (unexpected.empty()) return {};
        return base::fail(
            ErrorKind::bad_input,
            base::format(
                "{} source tensors have no place in the target and would be lost: {}; is this the right model family? "
                "--leave-out PATTERN leaves them out",
                unexpected.size(), base::listed(unexpected)),
            directory());
    }

    const Model& model_;
    const TensorIndex& index_;
    const Layout& layout_;
    Bound bound_;
    std::unordered_map<std::string, std::vector<std::uint32_t>> by_name_;
    std::vector<bool> used_;
    SharedPool<Shape> shared_;
    std::vector<std::string> idle_;  // tensors of weights that the model does not use
    SourceBinding out_;
};

}  // namespace

Result<SourceBinding> bind_source(const Model& model, const TensorIndex& index, const Layout& layout,
                                  const LeaveOut& leave_out, Bound bound) {
    return Binder(model, index, layout, bound).bind(leave_out);
}

void bind_absent(const Model& model, TensorIndex& index, SourceBinding& binding) {
    DType dtype = DType::f32;
    for (std::size_t i = 0; i < binding.tensors.size(); ++i) {
        LogicalSource& source = binding.tensors[i];
        source.absent = source.pieces.empty();
        if (source.absent) {
            const Shape& shape = model.tensors()[i].shape;
            Shape origin(shape.size(), 0);
            source.dtype = dtype;
            source.pieces = {{add_zeros(index, dtype, shape), origin, origin, shape}};
        }
        dtype = source.dtype;
    }
}

}  // namespace ckpt
