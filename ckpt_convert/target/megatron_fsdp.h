// A checkpoint of Megatron-FSDP, planned.
#pragma once

#include "ckpt_convert/target/kept_state.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

// `kept`: the state of the optimizer that goes along; nullptr: none. Fails with usage where options cut the tensors, which are
// whole, and with unsupported where such a checkpoint has tensors of the family in a form of its own.
Result<PlannedOutput> plan_megatron_fsdp(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                         Source& source, const ConvertOptions& options, const KeptState* kept);

}  // namespace ckpt
