#include "ckpt_convert/target/dcp_training.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/plan/state_plan.h"

namespace ckpt {
namespace {

// Of kOptimizerStates, the first that is a moment: the weights are the copies in full precision.
constexpr std::size_t kFirstMoment = 1;

Status check_weights_stay(const ConvertOptions& options) {
    auto refuse = [](const char* why) { return base::fail(ErrorKind::usage, std::string("--optimizer keep: ") + why); };
    if (!options.params_dtype.empty()) return refuse("--params-dtype makes weights that the state does not belong to");
    if (!options.source.adapter.empty()) return refuse("--lora-load makes weights that the state does not belong to");
    if (options.source.layers || options.source.true_vocab)
        return refuse("--num-layers and --true-vocab-size leave out weights that the state belongs to");
    return {};
}

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

}  // namespace

Result<DcpTraining> carry_dcp_training(const ShardedTraining& training, Source& source, const ConvertOptions& options,
                                       ConversionPlan& plan) {
    TRY(check_weights_stay(options));
    TRY_ASSIGN(const StateSource moments, moments_of(training, source));
    const auto groups = group_of_logicals(training.settings, source);
    // Of names that share their bytes the optimizer has the first.
    std::vector<std::optional<std::size_t>> group_of_target(plan.targets.size());
    std::vector<bool> wanted(plan.targets.size(), false);
    for (const LogicalMove& move : plan.moves) {
        if (source.model.tensors()[move.logical].buffer) continue;
        if (!groups[move.logical])
            return base::fail(
                ErrorKind::bad_input,
                base::format("{} is in none of the optimizer's groups of parameters; --optimizer drop leaves "
                             "the state out",
                             move.name),
                source.directory);
        bool is_first = true;
        for (const StoredPiece& piece : move.targets) {
            if (std::exchange(is_first, false) || wanted[piece.tensor]) {
                auto& group = group_of_target[piece.tensor];
                if (group && *group != *groups[move.logical])
                    return base::fail(ErrorKind::unsupported,
                                      base::format("parts of {} are in different groups of the optimizer's parameters; "
                                                   "--optimizer drop leaves the state out",
                                                   plan.targets[piece.tensor].name),
                                      source.directory);
                group = groups[move.logical];
                wanted[piece.tensor] = true;
            }
        }
    }
    DcpTraining out;
    out.step = training.step;
    out.by_name = training.settings.by_name;
    out.owners = training.settings.owners;
    for (const ShardedGroup& group : training.settings.groups) out.groups.push_back({group.values, {}});
    for (std::size_t i = 0; i < plan.targets.size(); ++i) {
        if (wanted[i]) out.groups[*group_of_target[i]].names.push_back(plan.targets[i].name);
    }
    TRY(add_states(plan, source.index, source.model, moments, wanted, "", kFirstMoment));
    plan.notes.push_back(base::format(
        "the optimizer goes on at step {}: weights, moments and groups of parameters are carried over", training.step));
    return out;
}

}  // namespace ckpt
