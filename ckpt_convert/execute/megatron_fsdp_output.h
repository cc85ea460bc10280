// A checkpoint of Megatron-FSDP (fsdp_dtensor): Megatron's tensors whole in files of torch.distributed.checkpoint.
//
//   model.module.NAME                                        a weight
//   optimizer.state.module.module.module.NAME.exp_avg        a moment of it
//   optimizer.param_to_group_meta.module.module.module.NAME.lr   a setting of its group
//   opt_param_scheduler.max_lr, args, checkpoint_version, iteration
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ckpt_convert/execute/megatron_output.h"
#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/mapping/naming.h"
#include "ckpt_convert/plan/conversion_plan.h"

namespace ckpt {

// What such a checkpoint holds of an optimizer besides its moments, which are targets of the plan, named "MOMENT/WEIGHT".
struct MegatronFsdpTraining {
    struct Group {
        pickle::Ref values = nullptr;    // a dict
        std::vector<std::string> names;  // of weights
    };
    std::vector<Group> groups;
    pickle::Ref scheduler = nullptr;            // a dict
    std::shared_ptr<const pickle::Arena> made;  // of the values
};

// `training`: nullptr without the state of an optimizer. Settings that are neither numbers nor texts are `unsupported`.
Result<OutputPlan> megatron_fsdp_output(const ConversionPlan& plan, const Naming& names, const CheckpointState& state,
                                        const MegatronFsdpTraining* training, std::uint64_t max_file_bytes);

}  // namespace ckpt
