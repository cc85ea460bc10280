// Ladder: what a search does to make a plan fit, from what costs nothing to what costs most.
#pragma once

#include <vector>

#include "ckpt_convert/job/training_job.h"

namespace ckpt {

struct Rung {
    Recompute recompute = Recompute::none;
    int quarters = 0;          // of the layers of a chunk, with blocks
    bool activations = false;  // of MLPs or experts
    bool latent_up = false;
    bool swap = false;  // the optimizer's states to the host
};

// What the space and the model allow, in the order of their cost.
std::vector<Rung> ladder(const ModelShape& model, bool recompute, bool swap);

// The job with a rung; `layers`: of its largest chunk.
void apply(const Rung& rung, const ModelShape& model, std::size_t layers, TrainingJob& job);

}  // namespace ckpt
