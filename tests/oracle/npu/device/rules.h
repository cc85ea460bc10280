// What the device refuses.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace emulator {

// Throws, with the words of the real device, if the NPU has no kernel for the operator and torch_npu leaves it to nobody, if the
// tensors of a call lie on several devices, or if the operator does not take their type. Warns, once for each operator, if torch_npu
// computes it on the CPU. What becomes of an operator is what rules/operators says of it; torch_npu/_verdicts.py hands it over.
void check_call(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

}  // namespace emulator
