#include "ckpt_convert/plan/conversion_plan.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "ckpt_convert/plan/plan_proof.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

class Planner {
public:
    Planner(const Model& model, const SourceBinding& source, const PlanOptions& options)
        : model_(model), source_(source), options_(options) {
        plan_.notes = source.notes;
        for (std::uint32_t i = 0; i < model_.tensors().size(); ++i) {
            const LogicalTensor& logical = model_.tensors()[i];
            const LogicalSource& from = source.tensors[i];
            plan_.moves.push_back({.logical = i,
                                   .name = from.absent ? logical.name + " (zeros)" : logical.name,
                                   .shape = shared_(logical.shape),
                                   .dtype = from.dtype,
                                   .sources = from.pieces,
                                   .targets = {},
                                   .adapter = from.adapter});
        }
    }

    Status add_target(LayoutTensor tensor) {
        auto number = static_cast<std::uint32_t>(plan_.targets.size());
        std::uint32_t first = tensor.pieces.empty() ? tensor.fill_like : tensor.pieces.front().logical;
        TRY_ASSIGN(DType dtype, target_dtype(plan_.moves[first]));
        for (const Piece& piece : tensor.pieces) {
            LogicalMove& move = plan_.moves[piece.logical];
            TRY_ASSIGN(DType other, target_dtype(move));
            if (other != dtype) {
                return base::fail(
                    ErrorKind::bad_input,
                    base::format("{} is made of {} ({}) and {} ({}): parts of one tensor must have the same element "
                                 "type; --params-dtype makes them the same",
                                 tensor.name, plan_.moves[first].title(), name(dtype), move.title(), name(other)));
            }
            TRY(add_constant(move, tensor));
            move.targets.push_back(
                {number, shared_(piece.in_stored), shared_(piece.in_logical), shared_(piece.extent)});
        }
        add_fill(tensor, number);
        plan_.targets.push_back({names_(tensor.name), tensor.file, dtype, shared_(tensor.shape), tensor.extra_state,
                                 shared_(tensor.file_shape), shared_(tensor.strides), tensor.of_experts, tensor.alike,
                                 tensor.scalar});
        return {};
    }

    ConversionPlan take() { return std::move(plan_); }

private:
    // What turns the values as the source has them into those of this target.
    Status add_constant(LogicalMove& move, const LayoutTensor& tensor) const {
        float plus = tensor.plus - source_.tensors[move.logical].plus;
        if (plus != 0 && !can_cast(move.dtype, move.dtype))
            return base::fail(ErrorKind::unsupported,
                              base::format("{} is {}, to which nothing can be added", move.title(), name(move.dtype)));
        if (!move.targets.empty() && move.plus != plus)
            return base::fail(ErrorKind::rule_data,
                              base::format("{} is stored plus different numbers in one layout", move.title()),
                              model_.mapping().origin);
        move.plus = plus;
        return {};
    }

    Result<DType> target_dtype(const LogicalMove& move) const {
        bool keep = !options_.dtype || !model_.tensors()[move.logical].cast;
        DType wanted = keep ? move.dtype : *options_.dtype;
        if (wanted == move.dtype || can_cast(move.dtype, wanted)) return wanted;
        return base::fail(ErrorKind::unsupported, base::format("{} is {}, which cannot be cast to {}", move.title(),
                                                               name(move.dtype), name(wanted)));
    }

    // Rows beyond the weights: copies of the last row are ordinary pieces, the rest is noted.
    void add_fill(const LayoutTensor& tensor, std::uint32_t number) {
        if (tensor.fill_rows == 0) return;
        std::uint64_t first_row = tensor.shape[0] - tensor.fill_rows;
        const VocabFill fill = tensor.fill_zero ? VocabFill::zero : options_.fill;
        if (fill != VocabFill::last_row) {
            plan_.fills.push_back({number, first_row, tensor.fill_rows, fill, tensor.fill_like});
            return;
        }
        LogicalMove& move = plan_.moves[tensor.fill_like];
        StoredPiece row{number, Shape(move.shape.size(), 0), Shape(move.shape.size(), 0), move.shape};
        row.in_logical.set(0, move.shape[0] - 1);
        row.extent.set(0, 1);
        for (std::uint64_t i = 0; i < tensor.fill_rows; ++i) {
            row.in_stored.set(0, first_row + i);
            move.targets.push_back(row);
        }
    }

    const Model& model_;
    const SourceBinding& source_;
    const PlanOptions& options_;
    SharedPool<Shape> shared_;
    SharedPool<std::string> names_;
    ConversionPlan plan_;
};

void sort_by_source_position(ConversionPlan& plan, const TensorIndex& index) {
    auto position = [&](const LogicalMove& move) {
        const IndexedTensor& first = index.tensors[move.sources.front().tensor];
        return std::pair(first.file, first.offset);
    };
    std::stable_sort(plan.moves.begin(), plan.moves.end(),
                     [&](const auto& a, const auto& b) { return position(a) < position(b); });
}

// Every weight has a place in the target, or the model computes nothing with it.
Status drop_idle(ConversionPlan& plan, const Model& model, const SourceBinding& source) {
    std::vector<std::string> dropped, zeros;
    for (const LogicalMove& move : plan.moves) {
        const bool absent = source.tensors[move.logical].absent, placed = !move.targets.empty();
        if (!placed && !model.tensors()[move.logical].unused)
            return base::fail(
                ErrorKind::unsupported,
                base::format("{} has no place in this layout and would be lost; another --target version or other "
                             "layers (--transformer-impl, --moe-grouped-gemm) have one",
                             move.title()));
        if (absent == placed) (placed ? zeros : dropped).push_back(model.tensors()[move.logical].name);
    }
    if (!dropped.empty())
        plan.notes.push_back(base::format("without a place in the target, but the model computes nothing with it: {}",
                                          base::listed(std::move(dropped))));
    if (!zeros.empty())
        plan.notes.push_back(base::format("filled with zeros, as the model computes nothing with it: {}",
                                          base::listed(std::move(zeros))));
    std::erase_if(plan.moves, [](const LogicalMove& move) { return move.targets.empty(); });
    return {};
}

}  // namespace

std::string LogicalMove::title() const {
    return state.empty() ? name.get() : base::format("{} of {}", state, name.get());
}

std::uint64_t ConversionPlan::source_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& move : moves) {
        for (const StoredPiece& piece : move.sources) sum += piece.stored_elements() * bits(move.dtype) / 8;
    }
    return sum;
}

std::uint64_t ConversionPlan::target_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& target : targets) sum += checked_bytes(target.shape, target.dtype).value_or(0);
    return sum;
}

Result<ConversionPlan> make_plan(const Model& model, const TensorIndex& index, const SourceBinding& source,
                                 const TensorsOf& target, const PlanOptions& options) {
    Planner planner(model, source, options);
    TRY(target(
        [&](LayoutTensor tensor) { return tensor.optional ? Status() : planner.add_target(std::move(tensor)); }));
    ConversionPlan plan = planner.take();
    plan.targets.shrink_to_fit();
    TRY(drop_idle(plan, model, source));
    TRY(prove_plan(plan, index));
    sort_by_source_position(plan, index);
    return plan;
}

Result<ConversionPlan> make_plan(const Model& model, const TensorIndex& index, const SourceBinding& source,
                                 const Layout& target, const PlanOptions& options) {
    const TensorsOf tensors = [&](const TensorSink& sink) -> Status {
        for (const LayoutTensor& tensor : target.tensors) TRY(sink(tensor));
        return {};
    };
    return make_plan(model, index, source, tensors, options);
}

}  // namespace ckpt
