#include "ckpt_convert/target/megatron_state.h"

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/format.h"
#include "ckpt_convert/target/adam_values.h"

namespace ckpt {
namespace {

// The settings of all matrices, or of all vectors: Megatron has a group for each.
Result<std::array<const ShardedGroup*, 2>> groups_by_decay(const ShardedTraining& training, const Source& source) {
    const auto groups = group_of_logicals(training.settings, source);
    std::array<const ShardedGroup*, 2> out{};
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const LogicalTensor& logical = source.model.tensors()[i];
        if (logical.buffer || source.binding.tensors[i].pieces.empty()) continue;
        if (!groups[i])
            return base::fail(
                ErrorKind::bad_input,
                base::format("{} is in none of the optimizer's groups of parameters; --optimizer drop leaves "
                             "the state out",
                             logical.name),
                source.directory);
        const ShardedGroup& group = training.settings.groups[*groups[i]];
        const ShardedGroup*& known = out[logical.shape.size() > 1 ? 1 : 0];
        if (known == nullptr) known = &group;
        if (!same_values(known->values, group.values))
            return base::fail(
                ErrorKind::unsupported,
                base::format("{} has other settings of the optimizer than others of its kind, and Megatron "
                             "has one group for all matrices and one for all vectors; --optimizer drop "
                             "leaves the state out",
                             logical.name),
                source.directory);
    }
    return out;
}

// The weights in the place of their copies in full precision, then the moments.
Result<StateSource> states_of(const ShardedTraining& training, const Source& source) {
    TRY_ASSIGN(StateSource moments, moments_of(training, source));
    StateSource out;
    out.index = source.index;
    out.pieces.front().resize(source.binding.tensors.size());
    for (std::size_t i = 0; i < source.binding.tensors.size(); ++i) {
        const LogicalSource& weight = source.binding.tensors[i];
        if (source.model.tensors()[i].buffer || weight.pieces.empty()) continue;
        if (weight.dtype != DType::f32)
            return base::fail(
                ErrorKind::unsupported,
                base::format("{} is {}, and Megatron needs the weights in float32 to go on; --optimizer drop "
                             "leaves the state out",
                             source.model.tensors()[i].name, name(weight.dtype)),
                source.directory);
        out.pieces.front()[i] = weight.pieces;
    }
    const auto first = static_cast<std::uint32_t>(out.index.tensors.size());
    add_index(out.index, moments.index);
    for (std::size_t state = kFirstMoment; state < kOptimizerStates.size(); ++state) {
        out.pieces[state] = std::move(moments.pieces[state]);
        for (auto& pieces : out.pieces[state]) {
            for (StoredPiece& piece : pieces) piece.tensor += first;
        }
    }
    return out;
}

}  // namespace

Result<StateSource> moments_of(const ShardedTraining& training, const Source& source) {
    StateSource out;
    out.index.files = training.moments.front().files;
    out.pieces.front().resize(source.model.tensors().size());
    for (std::size_t i = 0; i < training.moments.size(); ++i) {
        TensorIndex index = training.moments[i];
        auto bound = bind_states(source, index);
        if (!bound)
            return base::fail_with_context(
                std::move(bound).error(),
                base::format("of the state {} of the optimizer, which --optimizer drop leaves out", kAdamMoments[i]));
        const auto first = static_cast<std::uint32_t>(out.index.tensors.size());
        for (LogicalSource& one : bound->tensors) {
            if (!one.pieces.empty() && one.dtype != DType::f32)
                return base::fail(ErrorKind::unsupported,
                                  base::format("the moments of the optimizer are {}, and only those in float32 are "
                                               "carried over; --optimizer drop leaves them out",
                                               name(one.dtype)),
                                  source.directory);
            for (StoredPiece& piece : one.pieces) piece.tensor += first;
            out.pieces[kFirstMoment + i].push_back(std::move(one.pieces));
        }
        out.index.tensors.insert(out.index.tensors.end(), index.tensors.begin(), index.tensors.end());
    }
    return out;
}

// The group of each logical tensor, by the names that its source has.
std::vector<std::optional<std::size_t>> group_of_logicals(const ShardedGroups& settings, const Source& source) {
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t group = 0; group < settings.groups.size(); ++group) {
        for (const std::string& name : settings.groups[group].names) by_name.emplace(name, group);
    }
    std::vector<std::optional<std::size_t>> out(source.binding.tensors.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (source.binding.tensors[i].pieces.empty()) continue;
        const auto found = by_name.find(source.index.tensors[source.binding.tensors[i].pieces.front().tensor].name);
        if (found != by_name.end()) out[i] = found->second;
    }
    return out;
}

Result<Training> megatron_state(const ShardedTraining& training, const Knowledge& knowledge, const Source& source,
                                ConvertOptions& options) {
    Training out;
    TRY_ASSIGN(out.states, states_of(training, source));
    out.states.order.learn({knowledge.parameter_names.begin(), knowledge.parameter_names.end()});
    for (DType dtype : {DType::f32, DType::bf16, DType::f16}) out.states.gradients[dtype] = DType::f32;
    TRY_ASSIGN(const auto groups, groups_by_decay(training, source));
    auto arena = std::make_shared<pickle::Arena>();
    for (std::size_t decays = 0; decays < groups.size(); ++decays) {
        if (groups[decays] == nullptr) continue;
        TRY_ASSIGN(pickle::Value * group, megatron_group(knowledge.adam, *arena, groups[decays]->values, decays == 1,
                                                         static_cast<std::int64_t>(training.step), source.directory));
        out.files.groups.push_back(group);
        TRY_ASSIGN(out.files.scheduler, megatron_schedule(knowledge.adam, *arena, groups[decays]->values));
    }
    if (!training.megatron_schedule.empty()) {
        pickle::Value* schedule = arena->make(pickle::Dict{});
        for (const auto& [key, value] : training.megatron_schedule)
            schedule->as<pickle::Dict>()->items.emplace_back(arena->make(key), value);
        out.files.scheduler = schedule;
        out.schedule_title = training.schedule_title;
    }
    out.files.iteration = static_cast<std::uint64_t>(training.step);
    out.files.made = arena;
    if (options.iteration.empty()) options.iteration = std::to_string(out.files.iteration);
    return out;
}

}  // namespace ckpt
