// KeptState: the state of the optimizer that goes along with the weights, as its checkpoint has it.
#pragma once

#include <optional>

#include "ckpt_convert/open/sharded_training.h"
#include "ckpt_convert/target/training.h"

namespace ckpt {

struct KeptState {
    std::optional<Training> megatron;      // of a Megatron checkpoint, or made for one
    std::optional<ShardedTraining> named;  // of one that ranks wrote in shards
};

// Opens the state beside the weights of `source`, and sets what the options leave open. A Megatron output gets the state as
// Megatron has it. Fails with usage where one side has no place for it, or an option makes weights that it does not belong to.
Result<KeptState> open_kept_state(base::FileSystem& fs, const Knowledge& knowledge, const Source& source,
                                  ConvertOptions& options);

// Makes the copies in full precision the weights of `source`, for outputs whose weights are these.
void take_masters(Source& source, const StateSource& states);

}  // namespace ckpt
