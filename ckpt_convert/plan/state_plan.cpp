#include "ckpt_convert/plan/state_plan.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/plan/plan_proof.h"

namespace ckpt {
namespace {

class StatePlanner {
public:
    StatePlanner(ConversionPlan& plan, TensorIndex& index, const Model& model, const StateSource& states,
                 std::size_t first)
        : plan_(plan),
          index_(index),
          model_(model),
          states_(states),
          first_(first),
          first_tensor_(static_cast<std::uint32_t>(index.tensors.size())) {}

    Result<std::vector<StateTargets>> add(const std::vector<bool>& wanted, std::string_view prefix) {
        add_index(index_, states_.index);
        add_targets(wanted, prefix);
        std::size_t weight_moves = plan_.moves.size();
        plan_.moves.reserve(weight_moves * (1 + kOptimizerStates.size() - first_));
        for (std::size_t i = 0; i < weight_moves; ++i) {
            if (model_.tensors()[plan_.moves[i].logical].buffer) continue;
            for (std::size_t state = first_; state < kOptimizerStates.size(); ++state) add_move(i, state, wanted);
        }
        add_fills(wanted);
        TRY(prove_plan(plan_, index_));
        return std::move(targets_);
    }

private:
    void add_targets(const std::vector<bool>& wanted, std::string_view prefix) {
        targets_.resize(plan_.targets.size());
        const auto with_state = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), true));
        plan_.targets.reserve(targets_.size() + with_state * (kOptimizerStates.size() - first_));
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            for (std::size_t state = first_; wanted[i] && state < kOptimizerStates.size(); ++state) {
                targets_[i][state] = static_cast<std::uint32_t>(plan_.targets.size());
                TargetTensor target = plan_.targets[i];
                target.name =
                    names_(base::format("{}{}/{}", prefix, kOptimizerStates[state], split_key(target.name.get()).name));
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

    void add_move(std::size_t weight, std::size_t state, const std::vector<bool>& wanted) {
        const LogicalMove& of = plan_.moves[weight];
        LogicalMove move;
        move.logical = logical_of(of.logical, state);
        move.name = of.name;
        move.state = kOptimizerStates[state];
        move.shape = of.shape;
        move.dtype = DType::f32;
        move.plus = state == 0 ? of.plus : 0;  // moments are those of a gradient, which a constant does not change
        move.sources.reserve(states_.pieces[state][of.logical].size());
        move.targets.reserve(of.targets.size());
        for (StoredPiece piece : states_.pieces[state][of.logical]) {
            piece.tensor += first_tensor_;
            move.sources.push_back(std::move(piece));
        }
        for (StoredPiece piece : of.targets) {
            if (!wanted[piece.tensor]) continue;
            piece.tensor = targets_[piece.tensor][state];
            move.targets.push_back(std::move(piece));
        }
        plan_.moves.push_back(std::move(move));
    }

    // Padding of the vocabulary has no gradient's moments yet; its copy in full precision is that of the weights.
    void add_fills(const std::vector<bool>& wanted) {
        std::vector<FilledRows> fills = plan_.fills;
        for (const FilledRows& weight : fills) {
            for (std::size_t state = first_; wanted[weight.target] && state < kOptimizerStates.size(); ++state) {
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
    const StateSource& states_;
    std::size_t first_;
    std::uint32_t first_tensor_;
    SharedPool<std::string> names_;
    std::vector<StateTargets> targets_;
};

}  // namespace

Result<std::vector<StateTargets>> add_states(ConversionPlan& plan, TensorIndex& index, const Model& model,
                                             const StateSource& states, const std::vector<bool>& wanted,
                                             std::string_view prefix, std::size_t first) {
    return StatePlanner(plan, index, model, states, first).add(wanted, prefix);
}

}  // namespace ckpt
