// Entries of a checkpoint of torch.distributed.checkpoint by the keys that lead to them in the nested dict.
#pragma once

#include <memory>
#include <string>

#include "ckpt_convert/formats/torch_dist/torch_dist_writer.h"
#include "ckpt_convert/plan/conversion_plan.h"

namespace ckpt {

// The keys that the optimizer is saved under, and the state of its parameters there.
inline constexpr const char* kOptimizer = "optimizer";
inline constexpr const char* kOptimizerState = "state";

// Names the targets of a plan as they are in the nested dict.
class DcpTargetNames {
public:
    struct Form {
        std::string weights_key = {};   // that the weights are saved under; empty: under none
        std::string prefix = {};        // in front of the names of weights there
        std::string state_prefix = {};  // and of those that states are of
        bool flat = false;              // see DistName::flat
    };

    explicit DcpTargetNames(Form form);
    DistName of(const TargetTensor& target);

private:
    Form form_;
    Shared<DistKeys> weights_, state_;
    SharedPool<std::string> texts_;
    SharedPool<DistKeys> moments_;
};

// A whole tensor as one chunk.
TorchDistItem item_at(DistName name, const TargetTensor& target, SharedPool<Shape>& shapes);

using DistValue = std::shared_ptr<const TorchDistObject::Value>;
DistValue dist_value(TorchDistObject::Value value);
DistValue dist_value(pickle::Ref value);

}  // namespace ckpt
