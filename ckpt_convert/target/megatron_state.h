// The state of an optimizer that is known by the names of weights, as Megatron keeps it.
#pragma once

#include "ckpt_convert/open/sharded_training.h"
#include "ckpt_convert/target/convert_options.h"
#include "ckpt_convert/target/training.h"

namespace ckpt {

// The moments of the weights of `source`, by logical tensor; nothing in the place of copies in full precision.
Result<StateSource> moments_of(const ShardedTraining& training, const Source& source);

// The group of each logical tensor, by the names that its source has.
std::vector<std::optional<std::size_t>> group_of_logicals(const ShardedGroups& settings, const Source& source);

// The weights are the copies in full precision. Fails with unsupported where they are not float32, or where the groups of
// parameters are others than Megatron's two, with and without weight decay. Sets the iteration of the options.
Result<Training> megatron_state(const ShardedTraining& training, const Knowledge& knowledge, const Source& source,
                                ConvertOptions& options);

}  // namespace ckpt
