// Outputs with the names of Hugging Face, whatever their files are.
#pragma once

#include "ckpt_convert/target/kept_state.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

// `kept`: the state of the optimizer that goes along; null: none. Fails with usage without a config.json of a known family.
Result<PlannedOutput> plan_named(base::FileSystem& fs, const Knowledge& knowledge, Source& source,
                                 const ConvertOptions& options, const KeptState* kept);

}  // namespace ckpt
