// How the experts of a Megatron checkpoint are dealt out: its files and the shapes of their tensors tell.
#pragma once

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/plan/layout.h"

namespace ckpt {

// The way that fits the pairs of TP and EP ranks and the shapes, the one that the saved arguments name first. `parallel` is
// complete but for this. Fails with bad_input when files are missing.
base::Result<ExpertParallel> find_expert_parallel(const MegatronCheckpoint& checkpoint, const Model& model,
                                                  const ParallelLayout& parallel);

}  // namespace ckpt
