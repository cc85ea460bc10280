// Reads the operators of a trace of torch's profiler (chrome JSON): an object with "traceEvents", or the list alone.
//
//   {"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": 1.5, "dur": 2, "pid": 1, "tid": 1,
//                     "args": {"External id": 7, "Input type": ["float", ...]}},
//                    {"ph": "X", "cat": "kernel", "dur": 3, "args": {"External id": 7}}, ...]}
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "migrator/operators/operator_input.h"

namespace migrator {

// An operator inside one that the NPU takes whole is left out, and its time is that of the outer one. What is kept is a few numbers for each operator of the trace. A trace that ends early gives what is whole, and a warning.
base::Result<OperatorInput> read_trace(std::string_view text, const std::string& name, const ChipsFile& chips,
                                       const TakesWhole& takes_whole);

}  // namespace migrator
