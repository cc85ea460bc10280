// The tables in the files of a DeepSpeed engine: shapes of parameters by group, and the settings and states of the groups.
#pragma once

#include <cstddef>
#include <vector>

#include "ckpt_convert/checkpoint/flat_runs.h"
#include "ckpt_convert/checkpoint/sharded_checkpoint.h"
#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt {

// param_shapes: a list of dicts of sizes, one for each group, or in older files one such dict. `path`: of the file, for errors,
// which are bad_input.
Result<std::vector<NamedShapes>> zero_shapes(pickle::Ref value, const Path& path);

// The state of a group, which the optimizer knows by its number; nullptr: it has none.
pickle::Ref zero_state(pickle::Ref optimizer, std::size_t group);

// param_groups of an optimizer whose parameters are the flat groups `groups`; empty when it has none.
Result<std::vector<ShardedGroup>> zero_groups(pickle::Ref optimizer, const std::vector<NamedShapes>& groups,
                                              const Path& path);

}  // namespace ckpt
