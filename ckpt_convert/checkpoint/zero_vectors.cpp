#include "ckpt_convert/checkpoint/zero_vectors.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/expert_names.h"

namespace ckpt {
namespace {

constexpr std::array<std::string_view, 2> kMoments{"exp_avg", "exp_avg_sq"};

using Shares = std::vector<std::vector<std::optional<FlatShare>>>;  // by group and rank

// Parameters of a flat group that are the same in some of the ranks: those that share them.
struct SharedParameters {
    const NamedShapes* shapes = nullptr;
    std::vector<std::size_t> ranks;
};

class VectorReader {
public:
    VectorReader(ZeroFiles& files, const std::vector<NamedShapes>& shapes, const std::vector<std::string>& optimizers,
                 ExpertOrder order)
        : files_(files),
          shapes_(shapes),
          optimizers_(optimizers),
          order_(order),
          expert_counts_(expert_counts(shapes)) {
        const Shares none(shapes.size(), std::vector<std::optional<FlatShare>>(optimizers.size()));
        weights_ = none;
        moments_.fill(none);
        divided_.resize(shapes.size());
    }

    Result<ZeroVectors> read() {
        for (std::size_t rank = 0; rank < optimizers_.size(); ++rank) TRY(read_file(rank));
        std::size_t parameters = 0;
        for (const NamedShapes& group : shapes_) parameters += group.size();
        out_.tensors.reserve(parameters * (1 + kMoments.size()));
        for (std::size_t group = 0; group < shapes_.size(); ++group) TRY(add_weights(group));
        out_.weights = out_.tensors.size();
        for (std::size_t group = 0; group < shapes_.size(); ++group) {
            for (std::size_t i = 0; i < kMoments.size(); ++i) TRY(add_moments(group, i));
        }
        return std::move(out_);
    }

private:
    Status read_file(std::size_t rank) {
        const std::string& name = optimizers_[rank];
        TRY_ASSIGN(const OpenedFile file, files_.open(name));
        const pickle::Ref state = pickle::find(file.content->root(), "optimizer_state_dict");
        if (state == nullptr) return files_.bad("it has no optimizer_state_dict", name);
        pickle::Ref flat = pickle::find(state, "fp32_flat_groups");
        const bool is_third = flat != nullptr;
        if (!is_third) flat = pickle::find(state, "single_partition_of_fp32_groups");
        if (rank == 0) out_.by_parameter = is_third;
        if (out_.by_parameter != is_third) return files_.bad("files of different ZeRO stages are mixed", name);
        TRY(read_weights(file, flat, rank));
        const pickle::Ref base = pickle::find(state, is_third ? "optimizer_state_dict" : "base_optimizer_state");
        for (std::size_t i = 0; i < kMoments.size(); ++i) TRY(read_moments(file, base, kMoments[i], moments_[i], rank));
        if (rank > 0) return {};
        TRY(divide_groups(pickle::find(state, "partition_count")));
        return read_settings(file, base);
    }

    Status read_weights(const OpenedFile& file, pickle::Ref list, std::size_t rank) {
        const auto* items = list == nullptr ? nullptr : list->as<pickle::List>();
        if (items == nullptr) return files_.bad("it has no list of flat groups", file.name);
        const std::size_t found = items->items.size();
        if (found != shapes_.size())
            return files_.bad(
                base::format("it has {} flat groups, but the weights are listed in {}{}", found, shapes_.size(),
                             found == 0 ? "; of an optimizer that was offloaded to NVMe there is nothing in it" : ""),
                file.name);
        for (std::size_t group = 0; group < found; ++group) {
            TRY_ASSIGN(weights_[group][rank],
                       share_in(file, items->items[group], "a flat group is not a vector of float32"));
        }
        return {};
    }

    // Before the first step there are none.
    Status read_moments(const OpenedFile& file, pickle::Ref base, std::string_view moment, Shares& out,
                        std::size_t rank) {
        for (std::size_t group = 0; group < shapes_.size(); ++group) {
            const pickle::Ref state = zero_state(base, group);
            const pickle::Ref value = state == nullptr ? nullptr : pickle::find(state, moment);
            if (value == nullptr) continue;
            TRY_ASSIGN(out[group][rank],
                       share_in(file, value, base::format("{} of a group is not a vector of float32", moment)));
        }
        return {};
    }

    Result<FlatShare> share_in(const OpenedFile& file, pickle::Ref value, std::string otherwise) {
        TRY_ASSIGN(const auto vector, file.content->tensor(value));
        if (!vector || vector->shape.size() != 1 || vector->dtype != DType::f32)
            return files_.bad(std::move(otherwise), file.name);
        return files_.share(file, *vector);
    }

    // How many ranks share each group is told; of experts fewer than there are.
    Status divide_groups(pickle::Ref counts) {
        const auto* list = counts == nullptr ? nullptr : counts->as<pickle::List>();
        for (std::size_t group = 0; group < shapes_.size(); ++group) {
            const bool is_listed = list != nullptr && group < list->items.size();
            const pickle::Ref told = is_listed ? list->items[group] : counts;
            const auto* count = told == nullptr ? nullptr : told->as<std::int64_t>();
            const auto world = static_cast<std::int64_t>(optimizers_.size());
            const std::int64_t share = count == nullptr ? world : *count;
            if (share < 1 || world % share != 0)
                return files_.bad(
                    base::format("{} ranks share group {} of the weights, and there are files of {}; is the copy "
                                 "complete, and of one run?",
                                 share, group, world),
                    optimizers_.front());
            TRY(divide_group(group, static_cast<std::size_t>(world / share)));
        }
        return {};
    }

    Status divide_group(std::size_t group, std::size_t parts) {
        if (parts > 1 && all_names_.empty()) all_names_ = shapes_;
        if (parts > 1) all_names_[group].clear();
        for (std::size_t part = 0; part < parts; ++part) {
            SharedParameters& shared = divided_[group].emplace_back();
            shared.shapes = &shapes_[group];
            if (parts == 1) continue;
            TRY_ASSIGN(NamedShapes numbered,
                       numbered_in_model(shapes_[group], expert_counts_, part, files_.path(optimizers_.front())));
            all_names_[group].insert(all_names_[group].end(), numbered.begin(), numbered.end());
            shared.shapes = &numbered_.emplace_back(std::move(numbered));
        }
        for (std::size_t rank = 0; rank < optimizers_.size(); ++rank) {
            const bool in_turn = order_ == ExpertOrder::ranks_in_turn;
            divided_[group][in_turn ? rank % parts : rank * parts / optimizers_.size()].ranks.push_back(rank);
        }
        return {};
    }

    // The steps and the groups of parameters.
    Status read_settings(const OpenedFile& file, pickle::Ref base) {
        out_.owners.push_back(file.content);
        for (std::size_t group = 0; group < shapes_.size(); ++group) {
            const pickle::Ref state = zero_state(base, group);
            TRY_ASSIGN(const auto step, files_.step(file, state == nullptr ? nullptr : pickle::find(state, "step")));
            if (step && !shapes_[group].empty()) out_.steps.emplace(*step, shapes_[group].front().first);
        }
        TRY_ASSIGN(out_.groups, zero_groups(base, all_names_.empty() ? shapes_ : all_names_, files_.path(file.name)));
        return {};
    }

    Status add_weights(std::size_t group) {
        for (const SharedParameters& shared : divided_[group]) {
            auto weights = parameters_in(rule(), *shared.shapes, shares_of(weights_[group], shared));
            if (!weights)
                return files_.bad(base::format("group {} of the weights: {}", group, weights.error().message),
                                  optimizers_[shared.ranks.front()]);
            std::move(weights->begin(), weights->end(), std::back_inserter(out_.tensors));
        }
        return {};
    }

    Status add_moments(std::size_t group, std::size_t number) {
        for (const SharedParameters& shared : divided_[group]) {
            auto shares = shares_of(moments_[number][group], shared);
            if (shares.size() != shared.ranks.size()) continue;
            auto states = parameters_in(rule(), *shared.shapes, std::move(shares));
            if (!states)
                return files_.bad(
                    base::format("{} of group {} of the weights: {}", kMoments[number], group, states.error().message),
                    optimizers_[shared.ranks.front()]);
            for (TorchDistTensor& tensor : *states)
                out_.tensors.push_back(state_of_weight(std::move(tensor), kMoments[number]));
        }
        return {};
    }

    FlatVector::Rule rule() const { return out_.by_parameter ? FlatVector::Rule::shares : FlatVector::Rule::row; }

    static std::vector<FlatShare> shares_of(const std::vector<std::optional<FlatShare>>& all,
                                            const SharedParameters& shared) {
        std::vector<FlatShare> out;
        for (const std::size_t rank : shared.ranks) {
            if (all[rank]) out.push_back(*all[rank]);
        }
        return out;
    }

    ZeroFiles& files_;
    const std::vector<NamedShapes>& shapes_;
    const std::vector<std::string>& optimizers_;
    ExpertOrder order_;
    ExpertCounts expert_counts_;
    Shares weights_;
    std::array<Shares, kMoments.size()> moments_;
    std::vector<std::vector<SharedParameters>> divided_;  // by group
    std::deque<NamedShapes> numbered_;                    // experts with their numbers in the model
    std::vector<NamedShapes> all_names_;                  // of all ranks, by group; empty: these are the shapes
    ZeroVectors out_;
};

}  // namespace

ExpertOrder expert_order(const OpenedFile& model) {
    const pickle::Ref config = pickle::find(model.content->root(), "ds_config");
    const pickle::Ref told = config == nullptr ? nullptr : pickle::find(config, "use_data_before_expert_parallelism");
    const auto* data_first = told == nullptr ? nullptr : told->as<bool>();
    return data_first != nullptr && *data_first ? ExpertOrder::data_first : ExpertOrder::ranks_in_turn;
}

Result<ZeroVectors> read_zero_vectors(ZeroFiles& files, const std::vector<NamedShapes>& shapes,
                                      const std::vector<std::string>& optimizers, ExpertOrder order) {
    return VectorReader(files, shapes, optimizers, order).read();
}

Result<std::vector<NamedShapes>> shapes_of_fragments(
    const ZeroFiles& files, const std::vector<std::string>& optimizers,
    const std::function<std::optional<Shape>(const std::string&)>& shape_of) {
    std::vector<NamedShapes> out;
    for (const std::string& name : optimizers) {
        TRY_ASSIGN(const OpenedFile file, files.open(name));
        const pickle::Ref state = pickle::find(file.content->root(), "optimizer_state_dict");
        const pickle::Ref places = state == nullptr ? nullptr : pickle::find(state, "param_slice_mappings");
        const auto* groups = places == nullptr ? nullptr : places->as<pickle::List>();
        if (groups == nullptr)
            return files.bad(
                "it does not say which parameters are in its flat groups, and no other file does; is the copy "
                "complete?",
                name);
        out.resize(std::max(out.size(), groups->items.size()));
        for (std::size_t group = 0; group < groups->items.size(); ++group) {
            const auto* items = pickle::mapping_items(groups->items[group]);
            if (items == nullptr)
                return files.bad("its table of places is not a list of dicts; is the file damaged?", name);
            for (const auto& [key, place] : *items) {
                const auto* parameter = key->as<std::string>();
                if (parameter == nullptr) continue;
                // One that two ranks have parts of is the last of the first and the first of the second.
                if (!out[group].empty() && out[group].back().first == *parameter) continue;
                auto shape = shape_of(*parameter);
                if (!shape)
                    return files.bad(base::format("{} is in its flat groups, and in no file of the model; is the copy "
                                                  "complete?",
                                                  *parameter),
                                     name);
                out[group].emplace_back(*parameter, std::move(*shape));
            }
        }
    }
    return out;
}

}  // namespace ckpt
