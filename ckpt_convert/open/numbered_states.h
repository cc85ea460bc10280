// Checkpoints whose optimizer numbers its parameters, group by group, as torch.optim does: its states get the names of their weights.
#pragma once

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"
#include "ckpt_convert/mapping/distributed_names.h"

namespace ckpt {

// open_sharded_checkpoint(), with states under the names of weights. The numbers count the weights in the order in which they were
// saved, those of each group in turn; where the shapes fit in no way or in several, `states_refused` says so. Copies in full
// precision that the optimizer has beside the states become the weights, of which some elements are compared: fails with
// bad_input where these are others.
Result<ShardedCheckpoint> open_named_shards(base::FileSystem& fs, const DistributedNames& names, const Path& directory);

}  // namespace ckpt
