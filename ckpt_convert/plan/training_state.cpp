#include "ckpt_convert/plan/training_state.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"

namespace ckpt {
namespace {

// Since this version a rank has all parameter groups that some rank has, and finds them by their kind; before it has
// those of its own parameters, by their number.
constexpr CoreVersion kGroupsOfAllRanks{0, 16};

class TrainingPlanner {
public:
    TrainingPlanner(ConversionPlan& plan, const Model& model, const StateSource& states, const OptimizerFiles& files,
                    const TrainingTarget& target)
        : plan_(plan),
          model_(model),
          states_(states),
          files_(files),
          target_(*target.layout),
          own_experts_(target.own_experts),
          args_(*target.args) {}

    Result<TrainingState> plan(TensorIndex& index) {
        TRY(collect_groups());
        sort_targets();
        find_parameters();
        TRY_ASSIGN(auto by_rank, split());
        for (const RankParameters& rank : by_rank) {
            each_kind(rank.dense, false, [&](GroupKind kind) { kinds_.insert(kind); });
            each_kind(rank.experts, true, [&](GroupKind kind) { kinds_.insert(kind); });
        }
        TRY_ASSIGN(targets_, add_states(plan_, index, model_, states_, wanted(by_rank), "optimizer.state."));
        TrainingState out;
        for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank) {
            TRY_ASSIGN(auto optimizers, optimizers_of(by_rank[rank], rank));
            out.ranks.push_back(std::move(optimizers));
        }
        out.scheduler = files_.scheduler;
        out.flops = files_.flops;
        return out;
    }

private:
    Status collect_groups() {
        for (pickle::Ref group : files_.groups) {
            TRY_ASSIGN(GroupKind kind, kind_of_group(group, ""));
            groups_[kind] = group;
        }
        return {};
    }

    // Rank files list their parameters in the order of registration: that is how the next reader knows it.
    void sort_targets() {
        using Key = std::tuple<std::uint32_t, std::string, std::vector<std::uint64_t>>;
        std::vector<std::pair<Key, std::uint32_t>> sorted;
        for (std::uint32_t i = 0; i < plan_.targets.size(); ++i) {
            const TargetTensor& target = plan_.targets[i];
            TensorKey key = split_key(target.name.get());
            auto place = states_.order.place(key.name).value_or(std::vector<std::uint64_t>());
            sorted.push_back({{target.file, std::string(key.chunk), std::move(place)}, i});
        }
        std::sort(sorted.begin(), sorted.end());
        std::vector<TargetTensor> targets;
        std::vector<std::uint32_t> moved(plan_.targets.size());
        for (const auto& [key, number] : sorted) {
            moved[number] = static_cast<std::uint32_t>(targets.size());
            targets.push_back(std::move(plan_.targets[number]));
        }
        plan_.targets = std::move(targets);
        for (LogicalMove& move : plan_.moves) {
            for (StoredPiece& piece : move.targets) piece.tensor = moved[piece.tensor];
        }
        for (FilledRows& fill : plan_.fills) fill.target = moved[fill.target];
    }

    // Which targets are parameters rather than buffers of a module.
    void find_parameters() {
        is_parameter_.assign(plan_.targets.size(), true);
        for (const LogicalMove& move : plan_.moves) {
            for (const StoredPiece& piece : move.targets) {
                if (model_.tensors()[move.logical].buffer) is_parameter_[piece.tensor] = false;
            }
        }
    }

    // The parameters of each rank in the order of registration.
    Result<std::vector<RankParameters>> split() const {
        using Placed = std::pair<std::vector<std::uint64_t>, StoredParameter>;
        std::vector<std::vector<Placed>> sorted(owners().size() * static_cast<std::size_t>(target_.placement.pp()));
        for (std::uint32_t i = 0; i < plan_.targets.size(); ++i) {
            const TargetTensor& tensor = plan_.targets[i];
            if (!is_parameter_[i]) continue;
            auto place = states_.order.place(split_key(tensor.name.get()).name);
            // Only buffers ask for the order.
            if (!place && target_.dialect.torch_dist) place.emplace();
            if (!place) {
                return base::fail(ErrorKind::unsupported, no_place_for(split_key(tensor.name.get()).name));
            }
            sorted[tensor.file].emplace_back(
                std::move(*place),
                StoredParameter{i, tensor.name, tensor.dtype, tensor.shape_in_file(), tensor.of_experts});
        }
        std::vector<RankParameters> out;
        for (auto& parameters : sorted) {
            std::stable_sort(parameters.begin(), parameters.end(),
                             [](const Placed& a, const Placed& b) { return a.first < b.first; });
            std::vector<StoredParameter> stored;
            for (Placed& one : parameters) stored.push_back(std::move(one.second));
            out.push_back(split_parameters(std::move(stored), target_.placement.chunks(),
                                           target_.placement.virtual_stages, own_experts_));
        }
        return out;
    }

    std::string no_place_for(std::string_view name) const {
        if (states_.of_weight.empty()) {
            return base::format(
                "{} has its place by the order of the run's parameters, which torch_dist does not say, and "
                "rules/parameters/ does not list {}; --ckpt-format torch_dist needs no order, and --transformer-impl, "
                "--moe-grouped-gemm, --mla-mm-split and --target choose other modules",
                kOptimizerFile, name);
        }
        return base::format(
            "the source has no module like that of {}, so that nothing says where its state belongs; keep the modules "
            "of the source (--transformer-impl, --moe-grouped-gemm, --mla-mm-split, --target)",
            name);
    }

    std::vector<StateOwner> owners() const { return state_owners(target_.tp, target_.experts); }
    StateOwner owner_of(std::uint32_t rank) const {
        auto all = owners();
        return all[rank % all.size()];
    }

    // The targets whose state is written on their own rank.
    std::vector<bool> wanted(const std::vector<RankParameters>& ranks) const {
        std::vector<bool> out(plan_.targets.size(), false);
        for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
            auto take = [&](const ChunkParameters& chunks) {
                for (const auto& parameters : chunks) {
                    for (const StoredParameter& parameter : parameters) out[parameter.tensor] = true;
                }
            };
            if (owner_of(rank).dense) take(ranks[rank].dense);
            if (owner_of(rank).experts) take(ranks[rank].experts);
        }
        return out;
    }

    Result<std::vector<RankState>> optimizers_of(const RankParameters& parameters, std::uint32_t rank) const {
        StateOwner owner = owner_of(rank);
        auto stage = rank / static_cast<std::uint32_t>(owners().size());
        std::vector<RankState> out(1);
        TRY(describe(parameters.dense, false, stage, owner.dense, out.front()));
        bool here = std::any_of(parameters.experts.begin(), parameters.experts.end(),
                                [](const auto& chunk) { return !chunk.empty(); });
        bool anywhere = own_experts_ && model_.experts() > 0 && target_.dialect.core >= kGroupsOfAllRanks;
        if (!here && !anywhere) return out;
        TRY(describe(parameters.experts, true, stage, owner.experts, out.emplace_back()));
        return out;
    }

    template <class Visit>
    static void each_kind(const ChunkParameters& chunks, bool expert, Visit visit) {
        for (const auto& parameters : chunks) {
            for (const StoredParameter& parameter : parameters) visit(GroupKind{parameter.decays(), expert});
        }
    }

    Status describe(const ChunkParameters& chunks, bool expert, std::uint32_t stage, bool owned, RankState& out) const {
        std::vector<GroupKind> kinds;
        auto need = [&](GroupKind kind) {
            if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
        };
        each_kind(chunks, expert, need);
        if (target_.dialect.core >= kGroupsOfAllRanks) {
            for (GroupKind kind : kinds_) {
                if (kind.expert == expert) need(kind);
            }
            std::sort(kinds.begin(), kinds.end(), std::greater<>());  // those with weight decay first
        }
        for (GroupKind kind : kinds) {
            TRY_ASSIGN(pickle::Ref values, group_like(kind));
            out.groups.push_back({values, expert});
        }
        if (!owned || target_.dialect.torch_dist) return {};
        out.buffers.emplace();
        for (const FlatBufferLayout& layout : rank_buffers(chunks, stage, args_)) {
            TRY_ASSIGN(StateBuffer buffer, buffer_of(layout));
            out.buffers->push_back(std::move(buffer));
        }
        return {};
    }

    // Experts and dense weights share a group, or have one each that says the same.
    Result<pickle::Ref> group_like(GroupKind kind) const {
        for (bool expert : {kind.expert, !kind.expert}) {
            auto found = groups_.find({kind.decay, expert});
            if (found != groups_.end()) return found->second;
        }
        return base::fail(ErrorKind::unsupported,
                          base::format("the optimizer has no parameter group {} weight decay, which {} of the model "
                                       "need; --optimizer drop leaves its state out",
                                       kind.decay ? "with" : "without", kind.decay ? "matrices" : "vectors"));
    }

    Result<StateBuffer> buffer_of(const FlatBufferLayout& layout) const {
        auto gradients = states_.gradients.find(layout.parameters);
        if (gradients == states_.gradients.end()) {
            return base::fail(ErrorKind::unsupported,
                              base::format("the source has no state of {} parameters; --params-dtype cannot be "
                                           "combined with --optimizer keep",
                                           name(layout.parameters)));
        }
        StateBuffer out{layout.parameters, gradients->second, layout.elements, {}};
        for (const FlatPlace& place : layout.places) out.places.push_back({targets_[place.tensor], place.first});
        return out;
    }

    ConversionPlan& plan_;
    const Model& model_;
    const StateSource& states_;
    const OptimizerFiles& files_;
    const ParallelLayout& target_;
    bool own_experts_;
    const Json& args_;
    std::map<GroupKind, pickle::Ref> groups_;  // of the source
    std::set<GroupKind> kinds_;                // that the parameters of all ranks need
    std::vector<bool> is_parameter_;
    std::vector<StateTargets> targets_;
};

}  // namespace

Result<TrainingState> plan_training(ConversionPlan& plan, TensorIndex& index, const Model& model,
                                    const StateSource& states, const OptimizerFiles& files,
                                    const TrainingTarget& target) {
    return TrainingPlanner(plan, model, states, files, target).plan(index);
}

}  // namespace ckpt
