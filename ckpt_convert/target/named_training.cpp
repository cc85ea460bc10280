#include "ckpt_convert/target/named_training.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/plan/state_plan.h"
#include "ckpt_convert/target/adam_values.h"
#include "ckpt_convert/target/megatron_state.h"

namespace ckpt {
namespace {

// What is saved of each group, and which group each weight is in.
struct NamedState {
    std::vector<std::optional<std::size_t>> groups;  // by logical tensor
    NamedTraining training;                          // without names in groups
};

// The number of the group with these settings, which is added when there is none.
std::size_t group_with(NamedValues values, std::vector<NamedTraining::Group>& groups) {
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return same_values(one.values, values); });
    const auto number = static_cast<std::size_t>(known - groups.begin());
    if (known == groups.end()) groups.push_back({std::move(values), {}});
    return number;
}

// Saved by name, each weight has settings of its own: groups are those that differ.
NamedState state_of(const ShardedTraining& training, const Source& source) {
    NamedState out;
    out.groups = group_of_logicals(training.settings, source);
    out.training.step = training.step;
    out.training.schedule = training.schedule;
    out.training.by_name = training.settings.by_name;
    out.training.owners = training.settings.owners;
    out.training.made = training.settings.made;
    std::vector<std::size_t> numbers;
    for (const ShardedGroup& group : training.settings.groups) {
        if (training.settings.by_name) {
            numbers.push_back(group_with(group.values, out.training.groups));
        } else {
            numbers.push_back(out.training.groups.size());
            out.training.groups.push_back({group.values, {}});
        }
    }
    for (auto& group : out.groups) {
        if (group) group = numbers[*group];
    }
    return out;
}

// Megatron has a group for matrices and one for vectors, for experts too; those that say the same are one here.
Result<NamedState> state_of(const Training& training, const AdamSettings& adam, const Source& source) {
    NamedState out;
    out.training.step = static_cast<float>(training.files.iteration);
    out.training.owners = training.files.owners;
    auto arena = std::make_shared<pickle::Arena>();
    std::map<bool, std::size_t> by_decay;
    for (const pickle::Ref group : training.files.groups) {
        TRY_ASSIGN(const GroupKind kind, kind_of_group(group, source.directory));
        TRY_ASSIGN(NamedValues values, torch_values(adam, *arena, group, source.directory));
        const std::size_t number = group_with(std::move(values), out.training.groups);
        if (!by_decay.emplace(kind.decay, number).second && by_decay[kind.decay] != number)
            return base::fail(
                ErrorKind::unsupported,
                "experts have other settings of the optimizer than other weights; --optimizer drop leaves "
                "the state out",
                source.directory);
        if (const pickle::Ref step = pickle::find(group, "step")) {
            if (const auto* whole = step->as<std::int64_t>()) out.training.step = static_cast<float>(*whole);
            if (const auto* real = step->as<double>()) out.training.step = static_cast<float>(*real);
        }
    }
    for (const LogicalTensor& logical : source.model.tensors()) {
        const auto found = by_decay.find(logical.shape.size() > 1);
        out.groups.push_back(found == by_decay.end() ? std::nullopt : std::optional(found->second));
    }
    out.training.made = std::move(arena);
    return out;
}

// The group of each target that gets a state; nullopt of buffers, and of second names for the same bytes.
Result<std::vector<std::optional<std::size_t>>> groups_of_targets(const NamedState& state, const Source& source,
                                                                  const ConversionPlan& plan) {
    std::vector<std::optional<std::size_t>> out(plan.targets.size());
    for (const LogicalMove& move : plan.moves) {
        if (source.model.tensors()[move.logical].buffer) continue;
        const auto& group = state.groups[move.logical];
        if (!group)
            return base::fail(
                ErrorKind::bad_input,
                base::format("{} is in none of the optimizer's groups of parameters; --optimizer drop leaves "
                             "the state out",
                             move.title()),
                source.directory);
        // Of names that share their bytes the optimizer has the first.
        bool is_first = true;
        for (const StoredPiece& piece : move.targets) {
            auto& known = out[piece.tensor];
            if (!std::exchange(is_first, false) && !known) continue;
            if (known && *known != *group)
                return base::fail(ErrorKind::unsupported,
                                  base::format("parts of {} are in different groups of the optimizer's parameters; "
                                               "--optimizer drop leaves the state out",
                                               plan.targets[piece.tensor].name.get()),
                                  source.directory);
            known = group;
        }
    }
    return out;
}

// Puts the names into the order that the source's optimizer has. That of a state which was saved by name is not known, and names
// that were joined or cut on their way have none.
void put_in_order(NamedTraining& training, const ShardedGroups& settings) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (const ShardedGroup& group : settings.groups) {
        for (const std::string& name : group.names) places.emplace(name, places.size());
    }
    training.ordered = settings.ordered && !settings.by_name;
    for (NamedTraining::Group& group : training.groups) {
        for (const std::string& name : group.names) training.ordered &= places.contains(name);
        if (!training.ordered) return;
        std::sort(group.names.begin(), group.names.end(),
                  [&](const std::string& a, const std::string& b) { return places.at(a) < places.at(b); });
    }
}

}  // namespace

Result<NamedTraining> carry_named_training(const KeptState& kept, const AdamSettings& adam, Source& source,
                                           ConversionPlan& plan) {
    StateSource of_shards;
    NamedState state;
    if (kept.named) {
        TRY_ASSIGN(of_shards, moments_of(*kept.named, source));
        state = state_of(*kept.named, source);
    } else {
        TRY_ASSIGN(state, state_of(*kept.megatron, adam, source));
    }
    const StateSource& moments = kept.named ? of_shards : kept.megatron->states;
    TRY_ASSIGN(const auto groups, groups_of_targets(state, source, plan));
    std::vector<bool> wanted;
    for (std::size_t i = 0; i < plan.targets.size(); ++i) {
        wanted.push_back(groups[i].has_value());
        if (groups[i]) state.training.groups[*groups[i]].names.push_back(plan.targets[i].name);
    }
    if (kept.named) put_in_order(state.training, kept.named->settings);
    TRY(add_states(plan, source.index, source.model, moments, wanted, "", kFirstMoment));
    plan.notes.push_back(
        base::format("the optimizer goes on at step {}: weights, moments and groups of parameters are carried over",
                     state.training.step));
    return std::move(state.training);
}

}  // namespace ckpt
