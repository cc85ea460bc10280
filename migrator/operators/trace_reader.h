// The operators of a trace of torch's profiler or of Ascend's, with the time that each took by itself.
#pragma once

#include "migrator/operators/operator_input.h"
#include "migrator/profile/profile_names.h"
#include "migrator/profile/trace_source.h"

namespace migrator {

// A trace that is damaged gives what is whole, with a warning. Memory is that of its operators. Fails with bad_input where it cannot be read.
base::Result<OperatorInput> read_trace(TraceSource& events, const ProfileNames& names, const ChipsFile& chips,
                                       const TakesWhole& takes_whole);

}  // namespace migrator
