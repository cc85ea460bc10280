#include "ckpt_convert/plan/state_plan.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/plan/plan_proof.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;
using base::Status;

class StatePlanner {
public:
    StatePlanner(ConversionPlan& plan, TensorIndex& index, const Model& model, const SourceBinding& binding,
                 const StateSource& states)
        : plan_(plan),
          index_(index),
          model_(model),
          binding_(binding),
          states_(states),
          first_tensor_(static_cast<std::uint32_t>(index.tensors.size())) {}

    Result<std::vector<StateTargets>> add(const std::vector<bool>& wanted, std::string_view prefix) {
        add_index();
        add_targets(wanted, prefix);
        std::size_t weight_moves = plan_.moves.size();
        for (std::size_t i = 0; i < weight_moves; ++i) {
            if (model_.tensors()[plan_.moves[i].logical].buffer) continue;
            for (std::size_t state = 0; state < kOptimizerStates.size(); ++state) TRY(add_move(i, state, wanted));
        }
        add_fills(wanted);
        TRY(prove_plan(plan_, index_));
        return std::move(targets_);
    }

private:
    void add_index() {
        auto first_file = static_cast<std::uint32_t>(index_.files.size());
        index_.files.insert(index_.files.end(), states_.index.files.begin(), states_.index.files.end());
        for (IndexedTensor tensor : states_.index.tensors) {
            tensor.file += first_file;
            index_.tensors.push_back(std::move(tensor));
        }
    }

    void add_targets(const std::vector<bool>& wanted, std::string_view prefix) {
        targets_.resize(plan_.targets.size());
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            for (std::size_t state = 0; wanted[i] && state < kOptimizerStates.size(); ++state) {
                targets_[i][state] = static_cast<std::uint32_t>(plan_.targets.size());
                TargetTensor target = plan_.targets[i];
                target.name = base::format("{}{}/{}", prefix, kOptimizerStates[state], split_key(target.name).name);
                target.dtype = DType::f32;
                target.extra_state = false;
                target.of_model = false;
                plan_.targets.push_back(std::move(target));
            }
        }
    }

    // A number for the state of a weight, behind those of the weights.
    std::uint32_t logical_of(std::uint32_t weight, std::size_t state) const {
        return static_cast<std::uint32_t>(model_.tensors().size() * (state + 1)) + weight;
    }

    Status add_move(std::size_t weight, std::size_t state, const std::vector<bool>& wanted) {
        const LogicalMove& of = plan_.moves[weight];
        LogicalMove move;
        move.logical = logical_of(of.logical, state);
        move.name = base::format("{} of {}", kOptimizerStates[state], of.name);
        move.shape = of.shape;
        move.dtype = DType::f32;
        move.plus = state == 0 ? of.plus : 0;  // moments are those of a gradient, which a constant does not change
        for (const StoredPiece& piece : of.sources) {
            auto source = source_of(piece, of.logical, state);
            if (!source) {
                return base::fail(
                    ErrorKind::bad_input,
                    base::format("there is no {} of {} beside its weights; is a {} missing? --optimizer "
                                 "drop leaves the state of the optimizer out",
                                 kOptimizerStates[state], index_.tensors[piece.tensor].name, kOptimizerFile),
                    index_.files[index_.tensors[piece.tensor].file]->path());
            }
            move.sources.push_back(std::move(*source));
        }
        for (StoredPiece piece : of.targets) {
            if (!wanted[piece.tensor]) continue;
            piece.tensor = targets_[piece.tensor][state];
            move.targets.push_back(std::move(piece));
        }
        plan_.moves.push_back(std::move(move));
        return {};
    }

    // Of several ranks with the same part of a weight one has its state.
    std::optional<StoredPiece> source_of(const StoredPiece& piece, std::uint32_t logical, std::size_t state) const {
        auto with_state = [&](StoredPiece found) -> std::optional<StoredPiece> {
            const auto& states = states_.of_weight[found.tensor];
            if (!states) return std::nullopt;
            found.tensor = first_tensor_ + (*states)[state];
            return found;
        };
        if (auto found = with_state(piece)) return found;
        for (const StoredPiece& copy : binding_.tensors[logical].replicas) {
            if (copy.in_logical != piece.in_logical || copy.extent != piece.extent) continue;
            if (auto found = with_state(copy)) return found;
        }
        return std::nullopt;
    }

    // Padding of the vocabulary has no gradient's moments yet; its copy in full precision is that of the weights.
    void add_fills(const std::vector<bool>& wanted) {
        std::vector<FilledRows> fills = plan_.fills;
        for (const FilledRows& weight : fills) {
            for (std::size_t state = 0; wanted[weight.target] && state < kOptimizerStates.size(); ++state) {
                FilledRows fill = weight;
                fill.target = targets_[weight.target][state];
                fill.logical = logical_of(weight.logical, state);
                if (state > 0) fill.fill = VocabFill::zero;
                plan_.fills.push_back(fill);
            }
        }
    }

    ConversionPlan& plan_;
    TensorIndex& index_;
    const Model& model_;
    const SourceBinding& binding_;
    const StateSource& states_;
    std::uint32_t first_tensor_;
    std::vector<StateTargets> targets_;
};

}  // namespace

Result<std::vector<StateTargets>> add_states(ConversionPlan& plan, TensorIndex& index, const Model& model,
                                             const SourceBinding& binding, const StateSource& states,
                                             const std::vector<bool>& wanted, std::string_view prefix) {
    return StatePlanner(plan, index, model, binding, states).add(wanted, prefix);
}

}  // namespace ckpt
