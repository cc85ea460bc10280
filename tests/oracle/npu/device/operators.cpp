// Registers the operators of the emulated device.

#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <torch/library.h>

#include "bridge.h"
#include "runtime.h"

namespace emulator {
namespace {

using at::Tensor;
using OptionalTensor = const std::optional<Tensor>&;
using std::optional;

void refuse_channels_last(optional<at::MemoryFormat> format) {
    TORCH_CHECK(!format || *format == at::MemoryFormat::Contiguous || *format == at::MemoryFormat::Preserve,
                "the NPU has no tensors of memory format ", *format,
                "; it takes contiguous_format and preserve_format");
}

// Fresh memory of the CPU becomes a tensor of the NPU.
Tensor on_device(const Tensor& fresh, c10::Device device) {
    Bridge bridge;
    bridge.to_cpu(c10::IValue(device));
    return bridge.to_npu(fresh);
}

c10::Device chosen(optional<c10::Device> device) {
    const auto* devices = c10::impl::getDeviceGuardImpl(c10::kPrivateUse1);
    if (!device || !device->has_index()) return devices->getDevice();
    TORCH_CHECK(device->index() < devices->deviceCount(), *device, " does not exist: there are ",
                static_cast<int>(devices->deviceCount()));
    return *device;
}

Tensor empty(at::IntArrayRef size, optional<at::ScalarType> type, optional<at::Layout> layout,
             optional<c10::Device> device, optional<bool> pinned, optional<at::MemoryFormat> format) {
    refuse_channels_last(format);
    TORCH_CHECK(!pinned.value_or(false), "only memory of the CPU can be pinned");
    TORCH_CHECK(layout.value_or(at::kStrided) == at::kStrided, "the emulated NPU has dense tensors only");
    return on_device(at::empty(size, type, at::kStrided, c10::Device(c10::kCPU), false, std::nullopt), chosen(device));
}

Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, optional<at::ScalarType> type, optional<at::Layout>,
                     optional<c10::Device> device, optional<bool>) {
    return on_device(at::empty_strided(size, stride, type, at::kStrided, c10::Device(c10::kCPU), false),
                     chosen(device));
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool) {
    Bridge bridge;
    auto target = bridge.to_cpu(to);
    target.copy_(bridge.to_cpu(from));
    return to;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
    Bridge bridge;
    auto target = bridge.to_cpu(to);
    target.resize_(from.sizes()).copy_(bridge.to_cpu(from));
    bridge.finish();
    return to;
}

void record_stream(Tensor&, c10::Stream) {}

// As torch_npu answers: a parameter stays the same object when its module moves, so that tied weights stay tied.
bool has_compatible_shallow_copy_type(const Tensor& to, const Tensor& from) {
    return to.layout() == at::kStrided && from.layout() == at::kStrided;
}

// torch leaves these two to every device and has no kernel of that name for the CPU.
Tensor convolution(const Tensor& input, const Tensor& weight, OptionalTensor bias, at::IntArrayRef stride,
                   at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed, at::IntArrayRef output_padding,
                   int64_t groups) {
    Bridge bridge;
    const auto host_bias = bias ? optional<Tensor>(bridge.to_cpu(*bias)) : std::nullopt;
    return bridge.to_npu(at::convolution(bridge.to_cpu(input), bridge.to_cpu(weight), host_bias, stride, padding,
                                         dilation, transposed, output_padding, groups));
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                                        at::IntArrayRef stride, at::IntArrayRef padding,
                                                        at::IntArrayRef dilation, bool transposed,
                                                        at::IntArrayRef output_padding, int64_t groups,
                                                        std::array<bool, 3> wanted) {
    Bridge bridge;
    const std::vector<int64_t> bias_sizes{transposed ? weight.size(1) * groups : weight.size(0)};
    auto [a, b, c] =
        at::convolution_backward(bridge.to_cpu(grad), bridge.to_cpu(input), bridge.to_cpu(weight), bias_sizes, stride,
                                 padding, dilation, transposed, output_padding, groups, wanted);
    return {bridge.to_npu(a), bridge.to_npu(b), bridge.to_npu(c)};
}

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) { run_on_cpu(op, stack); }

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

// The copy sees to conjugated and negated views itself; torch would make a copy first, by copying.
TORCH_LIBRARY_IMPL(aten, Conjugate, library) { library.impl("_copy_from", torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, Negative, library) { library.impl("_copy_from", torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("_copy_from", &copy_from);
    library.impl("_copy_from_and_resize", &copy_from_and_resize);
    library.impl("record_stream", &record_stream);
    library.impl("_has_compatible_shallow_copy_type", &has_compatible_shallow_copy_type);
    library.impl("convolution_overrideable", &convolution);
    library.impl("convolution_backward_overrideable", &convolution_backward);
}

}  // namespace
}  // namespace emulator
