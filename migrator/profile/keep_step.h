// One step of a trace.
#pragma once

#include "migrator/profile/intervals.h"
#include "migrator/profile/trace_records.h"

namespace migrator {

// Leaves what belongs to the step: kernels of a GPU that were launched in it, tasks and collectives of an NPU that began in it, and what its
// profiler says of overlaps, cut at its ends.
void keep_step(TraceRecords& trace, const Interval& step);

}  // namespace migrator
