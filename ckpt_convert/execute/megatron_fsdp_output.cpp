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

// The members of a dict, one entry for each of the names, which is the key in front of the member's own.
Status add_members(TorchDistContent& content, const Shared<DistKeys>& before,
                   const std::vector<Shared<std::string>>& names, pickle::Ref dict) {
    const auto& members = *pickle::mapping_items(dict);
    content.objects.reserve(content.objects.size() + members.size() * names.size());
    for (const auto& [key, value] : members) {
        const std::string& member = *key->as<std::string>();
        TRY(require_plain(value, base::format("the setting {}", member)));
        const Shared<DistKeys> after = DistKeys{member};
        const DistValue shared = dist_value(value);
        for (const Shared<std::string>& name : names) content.objects.push_back({{before, name, after}, shared});
    }
    return {};
}

Status add_settings(TorchDistContent& content, const Naming& names, const MegatronFsdpTraining& training) {
    const Shared<DistKeys> settings = DistKeys{kOptimizer, "param_to_group_meta"};
    for (const auto& group : training.groups) {
        std::vector<Shared<std::string>> weights;
        for (const std::string& name : group.names) weights.push_back(names.state_prefix + name);
        TRY(add_members(content, settings, weights, group.values));
    }
    return add_members(content, {}, {Shared<std::string>(kSchedule)}, training.scheduler);
}

// What a rank file of Megatron has beside its weights, each an entry of its own.
void add_common(TorchDistContent& content, const CheckpointState& state) {
    for (const char* key : {"args", "checkpoint_version", "iteration"}) {
        content.objects.push_back({key, dist_value([key, &state](TorchFilePlan& file) -> Result<pickle::Value*> {
                                       return file.arena().make(pickle::find(common_state(file, state), key)->variant);
                                   })});
    }
}

}  // namespace

Result<OutputPlan> megatron_fsdp_output(const ConversionPlan& plan, const Naming& names, const CheckpointState& state,
                                        const MegatronFsdpTraining* training, std::uint64_t max_file_bytes) {
    TorchDistContent content;
    content.max_file_bytes = max_file_bytes;
    content.items.reserve(plan.targets.size());
    SharedPool<Shape> shapes;
    DcpTargetNames target_names(
        {.weights_key = names.weights_key, .prefix = names.prefix, .state_prefix = names.state_prefix});
    for (const TargetTensor& target : plan.targets)
        content.items.push_back(item_at(target_names.of(target), target, shapes));
    if (training != nullptr) TRY(add_settings(content, names, *training));
    add_common(content, state);
    TRY_ASSIGN(auto files, plan_torch_dist(std::move(content)));
    return output_of(std::move(files), state.directory);
}

}  // namespace ckpt
