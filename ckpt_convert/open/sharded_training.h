// The state of an optimizer in a checkpoint that ranks wrote in shards: moments, steps and settings, by the names of weights.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"
#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/mapping/distributed_names.h"

namespace ckpt {

inline constexpr std::array<std::string_view, 2> kAdamMoments{"exp_avg", "exp_avg_sq"};

struct ShardedTraining {
    std::array<TensorIndex, kAdamMoments.size()>
        moments;             // tensors have the names of their weights; the same files in both
    float step = 0;          // all parameters have gone as many
    ShardedGroups settings;  // with the names of weights
};

// What becomes of parameters that have gone different numbers of steps, as after some were frozen for a while.
enum class Steps { same, largest };  // refused; all get the largest

// Fails with bad_input when there is none or something of it is missing, with unsupported when the steps are not as asked for.
Result<ShardedTraining> open_sharded_training(base::FileSystem& fs, const DistributedNames& names,
                                              const Path& directory, Steps steps);

}  // namespace ckpt
