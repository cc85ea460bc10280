// Calibration of memory: what a user's own run held, against what is planned for its layout.
#pragma once

#include <vector>

#include "ckpt_convert/job/measured_memory.h"
#include "ckpt_convert/memory/stage_memory.h"

namespace ckpt {

struct MemoryScale {
    double kept = 1;             // of what layers keep and work with; states and buffers follow from sizes
    std::optional<double> used;  // what tensors take of what the allocator holds
    std::size_t stage = 0;       // that was measured
    double peak = 0;             // bytes, measured
};

// `planned`: the stages of the layout that was measured. Fails with usage where the figures contradict each other or the plan, and
// says which of its assumptions would have to be wrong.
Result<MemoryScale> memory_scale(const MeasuredMemory& measured, const std::vector<StageMemory>& planned,
                                 const MemoryCalibration& limits);

}  // namespace ckpt
