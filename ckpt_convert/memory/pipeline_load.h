// How many micro-batches a stage of a pipeline has begun and not finished, which is what its activations are kept for.
#pragma once

#include <cstdint>
#include <vector>

#include "ckpt_convert/job/training_job.h"

namespace ckpt {

// Of each chunk of the stage, with `chunks` chunks. Source: Narayanan 2104.04473 (1F1B, interleaved); DualPipeV of
// DeepSeek's DualPipe repository.
std::vector<std::int64_t> in_flight(const TrainingJob& job, int stage, std::uint32_t chunks);

}  // namespace ckpt
