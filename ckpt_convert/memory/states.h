// Bytes of weights, gradients and optimizer states for each parameter of a rank.
#pragma once

#include "ckpt_convert/job/training_job.h"

namespace ckpt {

struct StateBytes {
    double weights = 0, gradients = 0;
    double optimizer = 0;  // on the device, of a parameter whose states no other rank shares
    double swapped = 0;    // of these states, what lies on the host
    double window = 0;     // of the swapped ones, what the device has while the optimizer runs
};

// Of parameters that are trained. Sources: Megatron-LM's page on the distributed optimizer; MindSpeed docs/zh/features
// (reuse-fp32-param, swap-optimizer, virtual-optimizer, low-precision optimizer); checked on baselines of its tests.
StateBytes state_bytes(const TrainingJob& job);
// Of parameters that are frozen: the base of LoRA.
StateBytes frozen_bytes(const TrainingJob& job);

}  // namespace ckpt
