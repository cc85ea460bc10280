// What the parts of the emulated device share.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>

namespace emulator {

inline c10::Device npu(c10::DeviceIndex index) { return {c10::kPrivateUse1, index}; }

// Memory of `device` over the bytes of a storage of the CPU, which it keeps alive.
c10::DataPtr adopt(c10::Storage host, c10::Device device);

// The generator of the CPU behind one of the NPU.
at::Generator host_generator(const at::Generator& generator);

}  // namespace emulator
