// What only the shapes of a Megatron checkpoint tell about its layout: how the experts are dealt out, and which of several
// dialects with the same names it has.
#pragma once

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/plan/source_layout.h"

namespace ckpt {

// `found` with the experts and the dialect that fit the rank files and the shapes; of several, what the saved arguments name.
// Fails with bad_input when files are missing.
Result<ParallelLayout> fit_layout(const MegatronCheckpoint& checkpoint, const Model& model, const FoundLayout& found);

}  // namespace ckpt
