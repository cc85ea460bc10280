#include "ckpt_convert/plan/plan_proof.h"

#include <deque>

#include "base/checked_math.h"
#include "base/format.h"
#include "ckpt_convert/plan/target_contents.h"
#include "ckpt_convert/tensor/tiling.h"

namespace ckpt {
namespace {

tl::unexpected<base::Error> broken(const std::string& message) {
    return base::fail(ErrorKind::internal, "the conversion plan is wrong, nothing was written: " + message);
}

bool inside(const Shape& offset, const Shape& extent, const Shape& shape) {
    if (offset.size() != shape.size() || extent.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (extent[i] > shape[i] || offset[i] > shape[i] - extent[i]) return false;
    }
    return true;
}

// The extent of a piece in the stored box, which may have more axes.
Shape stored_extent(const StoredPiece& piece) {
    Shape out(piece.in_stored.size(), 1);
    if (piece.extent.size() > out.size()) return {};
    for (std::size_t axis = 0; axis < out.size(); ++axis) out[axis] = piece.stored_extent(axis);
    return out;
}

// Whether the last element of the piece lies in the tensor, when its place there is said by strides.
bool reaches_inside(const StoredPiece& piece, const Shape& shape) {
    if (piece.strides.size() != piece.in_stored.size() || piece.extent.size() > piece.in_stored.size()) return false;
    std::uint64_t last = 0;
    for (std::size_t axis = 0; axis < piece.strides.size(); ++axis) {
        auto at = base::checked_add(piece.in_stored[axis], piece.stored_extent(axis) - 1);
        auto step = at ? base::checked_mul(*at, piece.strides[axis]) : std::nullopt;
        auto next = step ? base::checked_add(last, *step) : std::nullopt;
        if (!next) return false;
        last = *next;
    }
    return last < checked_elements(shape).value_or(0);
}

bool is_inside(const StoredPiece& piece, const Shape& shape) {
    return piece.strides.empty() ? inside(piece.in_stored, stored_extent(piece), shape) : reaches_inside(piece, shape);
}

// `part`: what of the move the pieces are, for messages.
Status check_read(const LogicalMove& move, std::string_view part, const Shape& shape,
                  const std::vector<StoredPiece>& pieces, const TensorIndex& source) {
    auto name = [&] { return base::format("{}{}", move.title(), part); };
    std::vector<Box> read;
    for (const StoredPiece& piece : pieces) {
        if (piece.tensor >= source.tensors.size() || !is_inside(piece, source.tensors[piece.tensor].shape) ||
            !inside(piece.in_logical, piece.extent, shape)) {
            return broken(base::format("a piece of {} leaves its tensor", name()));
        }
        read.push_back({piece.in_logical, piece.extent});
    }
    if (tiling_problem(shape, read)) return broken(base::format("{} is not read exactly once", name()));
    return {};
}

Status check_move(const LogicalMove& move, const ConversionPlan& plan, const TensorIndex& source) {
    TRY(check_read(move, "", move.shape, move.sources, source));
    if (move.adapter) {
        const LowRankSum& sum = *move.adapter;
        TRY(check_read(move, " (left factor)", {move.shape[0], sum.rank}, sum.left.pieces, source));
        TRY(check_read(move, " (right factor)", {sum.rank, move.shape[1]}, sum.right.pieces, source));
    }
    for (const StoredPiece& piece : move.targets) {
        if (piece.tensor >= plan.targets.size())
            return broken(base::format("a piece of {} belongs to no tensor", move.title()));
        if (!inside(piece.in_stored, stored_extent(piece), plan.targets[piece.tensor].shape) ||
            !inside(piece.in_logical, piece.extent, move.shape)) {
            return broken(base::format("a piece of {} leaves {}", move.title(), plan.targets[piece.tensor].name.get()));
        }
    }
    return {};
}

// What is written into one target: its boxes, and the numbers that they point at.
class WrittenBoxes {
public:
    void add(const StoredPiece& piece) {
        const Shape& extent = piece.in_stored.size() == piece.extent.size() ? piece.extent.get()
                                                                            : kept_.emplace_back(stored_extent(piece));
        boxes_.push_back({piece.in_stored.get(), extent});
    }

    // Fails when the rows leave the target.
    Status add(const FilledRows& fill, const TargetTensor& target) {
        if (target.shape.empty()) return broken("padding belongs to no tensor with rows");
        Shape& offset = kept_.emplace_back(target.shape.size(), 0);
        Shape& extent = kept_.emplace_back(target.shape);
        offset[0] = fill.first_row;
        extent[0] = fill.rows;
        if (!inside(offset, extent, target.shape)) return broken(base::format("padding leaves {}", target.name.get()));
        boxes_.push_back({offset, extent});
        return {};
    }

    const std::vector<Box>& boxes() const { return boxes_; }

private:
    std::deque<Shape> kept_;
    std::vector<Box> boxes_;
};

}  // namespace

Status prove_plan(const ConversionPlan& plan, const TensorIndex& source) {
    for (const LogicalMove& move : plan.moves) TRY(check_move(move, plan, source));
    for (const FilledRows& fill : plan.fills)
        if (fill.target >= plan.targets.size()) return broken("padding belongs to no tensor with rows");
    const TargetContents contents(plan);
    for (std::uint32_t i = 0; i < plan.targets.size(); ++i) {
        const TargetTensor& target = plan.targets[i];
        WrittenBoxes written;
        for (const auto [move, piece] : contents.parts(i)) written.add(plan.moves[move].targets[piece]);
        for (const std::uint32_t fill : contents.fills(i)) TRY(written.add(plan.fills[fill], target));
        if (tiling_problem(target.shape, written.boxes()) ||
            checked_elements(target.shape) != checked_elements(target.shape_in_file())) {
            return broken(base::format("{} is not written exactly once", target.name.get()));
        }
    }
    return {};
}

}  // namespace ckpt
