#include "ckpt_convert/execute/megatron_fsdp_output.h"

#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/execute/dcp_entries.h"
#include "ckpt_convert/execute/torch_dist_output.h"
#include "ckpt_convert/execute/training_output.h"

namespace ckpt {
namespace {

constexpr const char* kSchedule = "opt_param_scheduler";

DistPath path_of(const TargetTensor& target, const Naming& names) {
    if (target.of_model) return {names.weights_key, names.prefix + target.name.get()};
    const TensorKey state = split_key(target.name.get());
    return {kOptimizer, "state", names.state_prefix + std::string(state.name), std::string(state.chunk)};
}

// The members of a dict, each at its key behind `path`.
Status add_members(TorchDistContent& content, const DistPath& path, pickle::Ref dict) {
    for (const auto& [key, value] : *pickle::mapping_items(dict)) {
        const std::string& name = *key->as<std::string>();
        TRY(require_plain(value, base::format("the setting {}", name)));
        DistPath member = path;
        member.emplace_back(name);
        add_value(content, std::move(member), value);
    }
    return {};
}

Status add_settings(TorchDistContent& content, const Naming& names, const MegatronFsdpTraining& training) {
    for (const auto& group : training.groups) {
        for (const std::string& name : group.names)
            TRY(add_members(content, {kOptimizer, "param_to_group_meta", names.state_prefix + name}, group.values));
    }
    return add_members(content, {kSchedule}, training.scheduler);
}

// What a rank file of Megatron has beside its weights, each an entry of its own.
void add_common(TorchDistContent& content, const CheckpointState& state) {
    for (const char* key : {"args", "checkpoint_version", "iteration"}) {
        add_object(content, {key}, [key, &state](TorchFilePlan& file) -> Result<pickle::Value*> {
            return file.arena().make(pickle::find(common_state(file, state), key)->variant);
        });
    }
}

}  // namespace

Result<OutputPlan> megatron_fsdp_output(const ConversionPlan& plan, const Naming& names, const CheckpointState& state,
                                        const MegatronFsdpTraining* training, std::uint64_t max_file_bytes) {
    TorchDistContent content;
    content.max_file_bytes = max_file_bytes;
    content.items.reserve(plan.targets.size());
    SharedPool<Shape> shapes;
    for (const TargetTensor& target : plan.targets)
        content.items.push_back(item_at(path_of(target, names), target, shapes));
    if (training != nullptr) TRY(add_settings(content, names, *training));
    add_common(content, state);
    TRY_ASSIGN(auto files, plan_torch_dist(std::move(content)));
    return output_of(std::move(files), state.directory);
}

}  // namespace ckpt
