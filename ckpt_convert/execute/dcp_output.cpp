#include "ckpt_convert/execute/dcp_output.h"

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/checkpoint/sharded_checkpoint.h"
#include "ckpt_convert/execute/dcp_entries.h"
#include "ckpt_convert/execute/torch_dist_output.h"
#include "ckpt_convert/execute/training_output.h"

namespace ckpt {
namespace {

constexpr const char* kGroupsKey = "param_groups";

DistValue names_value(const std::vector<Shared<std::string>>& names) {
    return dist_value([&names](TorchFilePlan& file) -> Result<pickle::Value*> {
        pickle::Value* list = file.list();
        for (const std::string& name : names) list->as<pickle::List>()->items.push_back(file.string(name));
        return list;
    });
}

// Adds the settings of the groups, by number or by the name of each weight, the steps and the schedule.
class TrainingEntries {
public:
    TrainingEntries(TorchDistContent& content, const NamedTraining& training)
        : content_(content), training_(training) {}

    Status add() {
        for (std::size_t i = 0; i < training_.groups.size(); ++i) {
            add_steps(training_.groups[i]);
            for (const auto& [key, value] : training_.groups[i].values)
                TRY(require_plain(value, base::format("the setting {}", key)));
            if (training_.by_name) add_by_name(training_.groups[i]);
            else add_by_number(training_.groups[i], i);
        }
        for (const auto& [keys, value] : training_.schedule) {
            DistKeys before(keys.begin(), keys.end() - 1);
            content_.objects.push_back({DistName(std::move(before), keys.back()), dist_value(value)});
        }
        return {};
    }

private:
    void add_steps(const NamedTraining::Group& group) {
        const Shared<DistKeys> step = DistKeys{"step"};
        for (const Shared<std::string>& name : group.names) {
            content_.scalars.push_back({{state_, name, step}, training_.step});
            content_.scalars.back().name.flat = training_.by_name;
        }
    }

    void add_by_name(const NamedTraining::Group& group) {
        for (const auto& [key, value] : group.values) {
            const Shared<DistKeys> setting = DistKeys{key};
            const DistValue shared = dist_value(value);
            for (const Shared<std::string>& name : group.names) {
                content_.objects.push_back({{groups_, name, setting}, shared});
                content_.objects.back().name.flat = true;
            }
        }
    }

    void add_by_number(const NamedTraining::Group& group, std::size_t number) {
        const Shared<DistKeys> before = DistKeys{kOptimizer, kGroupsKey, std::uint64_t{number}};
        for (const auto& [key, value] : group.values)
            content_.objects.push_back({DistName(before, key), dist_value(value)});
        if (!training_.ordered)
            content_.objects.push_back(
                {DistName(before, std::string(kParameterOrder)),
                 dist_value([](TorchFilePlan& file) -> Result<pickle::Value*> { return file.string(kUnknownOrder); })});
        content_.objects.push_back({DistName(before, std::string("params")), names_value(group.names)});
    }

    const Shared<DistKeys> state_ = DistKeys{kOptimizer, kOptimizerState}, groups_ = DistKeys{kOptimizer, kGroupsKey};
    TorchDistContent& content_;
    const NamedTraining& training_;
};

}  // namespace

Result<OutputPlan> dcp_output(const ConversionPlan& plan, const std::string& key, std::uint64_t max_file_bytes,
                              const NamedTraining* training) {
    TorchDistContent content;
    content.max_file_bytes = max_file_bytes;
    content.items.reserve(plan.targets.size());
    SharedPool<Shape> shapes;
    DcpTargetNames names({.weights_key = key, .flat = training != nullptr && training->by_name});
    for (const TargetTensor& target : plan.targets) content.items.push_back(item_at(names.of(target), target, shapes));
    if (training != nullptr) TRY(TrainingEntries(content, *training).add());
    TRY_ASSIGN(auto files, plan_torch_dist(std::move(content)));
    return output_of(std::move(files), "");
}

}  // namespace ckpt
