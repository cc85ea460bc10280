// The state of an optimizer in a checkpoint that ranks wrote in shards: moments, steps and settings, by the names of weights.
#pragma once

#include <array>
#include <string>
#include <utility>
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
    // The schedule of the learning rate: as a DCP has it, each value with the keys that lead to it; and as Megatron has it.
    std::vector<std::pair<std::vector<std::string>, pickle::Ref>> schedule;
    std::vector<std::pair<std::string, pickle::Ref>> megatron_schedule;
    std::string schedule_title;  // for people; empty: there is none
};

// What becomes of parameters that have gone different numbers of steps, as after some were frozen for a while.
enum class Steps { same, largest };  // refused; all get the largest

// Fails with bad_input when there is none or something of it is missing, with unsupported when the steps are not as asked for.
Result<ShardedTraining> open_sharded_training(base::FileSystem& fs, const DistributedNames& names,
                                              const Path& directory, Steps steps);

}  // namespace ckpt
