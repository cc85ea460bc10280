// The output of a conversion of an adapter alone: a PEFT directory, or a Megatron checkpoint of nothing but factors.
#pragma once

#include "ckpt_convert/open/adapters.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

// `adapter` gets tensors of zeros, another rank and another alpha when weights with adapters of their own become one tensor.
// Fails with unsupported when what is to be written has no place for the adapter.
Result<PlannedOutput> plan_adapter(base::FileSystem& fs, const Knowledge& knowledge, AdapterSource& adapter,
                                   const ConvertOptions& options);

}  // namespace ckpt
