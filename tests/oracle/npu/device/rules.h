// What the device refuses.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace emulator {

// Throws, with the words of the real device, if the tensors of a call lie on several devices, or if the operator does not take
// their type.
void check_arguments(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

}  // namespace emulator
