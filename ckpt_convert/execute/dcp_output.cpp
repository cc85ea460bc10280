#include "ckpt_convert/execute/dcp_output.h"

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/checkpoint/sharded_checkpoint.h"
#include "ckpt_convert/execute/dcp_entries.h"
#include "ckpt_convert/execute/torch_dist_output.h"
#include "ckpt_convert/execute/training_output.h"

namespace ckpt {
namespace {

constexpr const char* kState = "state";
constexpr const char* kGroupsKey = "param_groups";

// Where PyTorch has a part of the optimizer's state. Saved by name, that is one flat dict.
DistPath place_of(bool by_name, const DistPath& keys) {
    if (by_name) return {kOptimizer, joined_path(keys)};
    DistPath out{kOptimizer};
    out.insert(out.end(), keys.begin(), keys.end());
    return out;
}

void add_names(TorchDistContent& content, DistPath path, const std::vector<std::string>& names) {
    add_object(content, std::move(path), [&names](TorchFilePlan& file) -> Result<pickle::Value*> {
        pickle::Value* list = file.list();
        for (const std::string& name : names) list->as<pickle::List>()->items.push_back(file.string(name));
        return list;
    });
}

Status add_training(TorchDistContent& content, const NamedTraining& training) {
    for (std::size_t i = 0; i < training.groups.size(); ++i) {
        const NamedTraining::Group& group = training.groups[i];
        for (const std::string& name : group.names) {
            DistPath path = place_of(training.by_name, {kState, name, "step"});
            content.scalars.push_back({joined_path(path), path, training.step});
        }
        for (const auto& [key, value] : group.values) {
            TRY(require_plain(value, base::format("the setting {}", key)));
            if (!training.by_name) add_value(content, place_of(false, {kGroupsKey, std::uint64_t{i}, key}), value);
            for (std::size_t n = 0; training.by_name && n < group.names.size(); ++n)
                add_value(content, place_of(true, {kGroupsKey, group.names[n], key}), value);
        }
        if (!training.by_name && !training.ordered)
            add_object(content, place_of(false, {kGroupsKey, std::uint64_t{i}, kParameterOrder}),
                       [](TorchFilePlan& file) -> Result<pickle::Value*> { return file.string(kUnknownOrder); });
        if (!training.by_name)
            add_names(content, place_of(false, {kGroupsKey, std::uint64_t{i}, "params"}), group.names);
    }
    for (const auto& [keys, value] : training.schedule) add_value(content, {keys.begin(), keys.end()}, value);
    return {};
}

}  // namespace

Result<OutputPlan> dcp_output(const ConversionPlan& plan, const std::string& key, std::uint64_t max_file_bytes,
                              const NamedTraining* training) {
    TorchDistContent content;
    content.max_file_bytes = max_file_bytes;
    content.items.reserve(plan.targets.size());
    SharedPool<Shape> shapes;
    for (const TargetTensor& target : plan.targets) {
        DistPath path;
        if (!target.of_model) {
            const TensorKey state = split_key(target.name.get());
            path = place_of(training != nullptr && training->by_name,
                            {kState, std::string(state.name), std::string(state.chunk)});
        } else if (!key.empty()) {
            path = {key, target.name};
        } else {
            path = {target.name};
        }
        content.items.push_back(item_at(std::move(path), target, shapes));
    }
    if (training != nullptr) TRY(add_training(content, *training));
    TRY_ASSIGN(auto files, plan_torch_dist(std::move(content)));
    return output_of(std::move(files), "");
}

}  // namespace ckpt
