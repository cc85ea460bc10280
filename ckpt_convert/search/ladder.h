// Ladder: what a search does to make a plan fit, from what costs nothing to what costs most.
#pragma once

#include <vector>

#include "ckpt_convert/job/training_job.h"

namespace ckpt {

struct Rung {
    Recompute recompute = Recompute::none;
    int eighths = 0;  // of the layers of a chunk, with blocks
    std::array<bool, kParts> parts{};
    bool swap = false;            // the optimizer's states to the host
    bool swap_attention = false;  // what attention keeps as well
};

// What the space, the model and the options of the engine allow, in the order of their cost. What `job` has of it stays.
std::vector<Rung> ladder(const ModelShape& model, const TrainingJob& job, bool recompute, bool swap);
// Whether the programs of another engine have options for it.
bool has_rung(const Rung& rung, Engine engine);

// The job with a rung; `layers`: of its largest chunk.
void apply(const Rung& rung, std::size_t layers, TrainingJob& job);

}  // namespace ckpt
