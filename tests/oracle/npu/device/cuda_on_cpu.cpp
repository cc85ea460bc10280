// Has the CPU stand for a CUDA device, for programs before their migration. Nothing of it is there until cuda_on_cpu is called.

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include "autocast.h"
#include "bridge.h"

namespace emulator {
namespace {

using std::optional;

// All memory of a CUDA device begins in one of these two.
at::Tensor empty_on_cpu(at::IntArrayRef size, optional<at::ScalarType> type, optional<at::Layout>,
                        optional<c10::Device>, optional<bool>, optional<at::MemoryFormat> format) {
    return at::empty(size, type, at::kStrided, c10::Device(c10::kCPU), false, format);
}

at::Tensor empty_strided_on_cpu(at::IntArrayRef size, at::IntArrayRef stride, optional<at::ScalarType> type,
                                optional<at::Layout>, optional<c10::Device>, optional<bool>) {
    return at::empty_strided(size, stride, type, at::kStrided, c10::Device(c10::kCPU), false);
}

torch::Library* implementation(c10::DispatchKey key) {
    return new torch::Library(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
}

void cuda_on_cpu() {
    Silence silence;
    const c10::WarningUtils::WarningHandlerGuard quiet(&silence);
    // Calls for a CUDA device may be made; nothing has to be switched for them.
    static const c10::impl::DeviceGuardImplRegistrar guard(c10::kCUDA, new c10::impl::NoOpDeviceGuardImpl<c10::kCUDA>);
    auto* memory = implementation(c10::DispatchKey::CUDA);
    memory->impl("empty.memory_format", &empty_on_cpu);
    memory->impl("empty_strided", &empty_strided_on_cpu);
    // A program that believes in CUDA computes in the types of a GPU.
    add_cuda_lists(*implementation(c10::DispatchKey::AutocastCPU));
}

TORCH_LIBRARY_FRAGMENT(npu_emulator, library) { library.def("cuda_on_cpu", &cuda_on_cpu); }

}  // namespace
}  // namespace emulator
