// TrainingState: what a checkpoint holds beside the weights so that a training run goes on from it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ckpt_convert/plan/parameter_order.h"
#include "ckpt_convert/plan/state_plan.h"

namespace ckpt {

// A buffer to be written; its places name ConversionPlan::targets.
struct StateBuffer {
    DType parameters = DType::bf16;
    DType gradients = DType::f32;
    std::uint64_t elements = 0;
    struct Place {
        StateTargets targets{};
        std::uint64_t first = 0;  // element
    };
    std::vector<Place> places;
};

// A parameter group of the source, for dense weights or for experts.
struct StateGroup {
    pickle::Ref values = nullptr;
    bool expert = false;
};

// One optimizer on one rank.
struct RankState {
    std::vector<StateGroup> groups;
    // nullopt: another rank writes them; torch_dist has none.
    std::optional<std::vector<StateBuffer>> buffers;
};

struct TrainingState {
    // By rank file; torch_dist has one. Two optimizers when experts have one of their own.
    std::vector<std::vector<RankState>> ranks;
    pickle::Ref scheduler = nullptr;
    std::optional<std::int64_t> flops;
};

// The run that is to go on.
struct TrainingTarget {
    const ParallelLayout* layout = nullptr;
    bool own_experts = false;    // experts have an optimizer of their own, as they have when EP > 1
    const Json* args = nullptr;  // of the source
};

// Plans the state of a run: adds to `plan` and `index` what is moved (see add_states), and gives what the files say about
// it. Fails with unsupported when the order of the parameters in the target cannot be known.
Result<TrainingState> plan_training(ConversionPlan& plan, TensorIndex& index, const Model& model,
                                    const StateSource& states, const OptimizerFiles& files,
                                    const TrainingTarget& target);

}  // namespace ckpt
