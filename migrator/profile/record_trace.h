// Reads a trace into its records.
#pragma once

#include "base/result.h"
#include "migrator/profile/profile_names.h"
#include "migrator/profile/trace_records.h"
#include "migrator/profile/trace_source.h"

namespace migrator {

// What of a trace is kept beside what the overall times need.
struct KeptParts {
    bool operators = false;    // all operators and tasks, not only those that the split of computing asks for
    bool equal_tasks = false;  // of an NPU every task, also those that say nothing new of their stream
    bool runtime = false;      // of an NPU calls of its runtime, and transfers that are not aligned
    bool shapes = false;       // shapes, types and stacks of operators
    bool python = false;       // frames of Python
    bool queue = false;        // when tasks were put into their queue
};

// A trace that is damaged gives what is whole; `damage` says so.
base::Result<TraceRecords> record_trace(TraceSource& events, const ProfileNames& names, const KeptParts& kept);

}  // namespace migrator
