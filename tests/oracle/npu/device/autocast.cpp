// Mixed precision: which operators compute in half and which in single precision.
//
// torch_npu has the lists that torch shares among devices, which are those of CUDA.

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "autocast.h"
#include "bridge.h"

namespace emulator {
namespace {

template <c10::DeviceType device>
at::Tensor cast(at::ScalarType type, const at::Tensor& tensor) {
    return tensor.defined() ? at::autocast::cached_cast(type, tensor, device) : tensor;
}

template <c10::DeviceType device>
void call_without_autocast(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const c10::impl::ExcludeDispatchKeyGuard guard(at::autocast::get_autocast_dispatch_key_from_device_type(device));
    op.callBoxed(stack);
}

template <c10::DeviceType device>
void cast_arguments(at::ScalarType type, const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    for (size_t i = stack->size() - op.schema().arguments().size(); i < stack->size(); ++i) {
        (*stack)[i] =
            over_tensors((*stack)[i], [type](const at::Tensor& tensor) { return cast<device>(type, tensor); });
    }
    call_without_autocast<device>(op, stack);
}

template <c10::DeviceType device>
void in_lower(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    cast_arguments<device>(at::autocast::get_lower_precision_fp_from_device_type(device), op, stack);
}

template <c10::DeviceType device>
void in_single(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    cast_arguments<device>(at::kFloat, op, stack);
}

// Computes in the widest type of the arguments.
template <c10::DeviceType device>
void in_widest(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    auto type = at::autocast::get_lower_precision_fp_from_device_type(device);
    for (const auto& value : torch::jit::last(*stack, op.schema().arguments().size())) {
        over_tensors(value, [&](const at::Tensor& tensor) {
            if (tensor.defined()) type = at::autocast::prioritize(type, tensor, device);
            return tensor;
        });
    }
    cast_arguments<device>(type, op, stack);
}

// Asks the operator for a result in single precision, unless the caller asks for a type.
template <c10::DeviceType device>
void to_single(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const auto arguments = op.schema().arguments();
    const size_t first = stack->size() - arguments.size();
    const auto& input = (*stack)[first].toTensor();
    const bool eligible = at::autocast::is_eligible(input, device) &&
                          (input.scalar_type() == at::kHalf || input.scalar_type() == at::kBFloat16);
    for (size_t i = 0; eligible && i < arguments.size(); ++i) {
        if (arguments[i].name() == "dtype" && (*stack)[first + i].isNone()) (*stack)[first + i] = at::kFloat;
    }
    call_without_autocast<device>(op, stack);
}

void refuse_binary_cross_entropy(const c10::OperatorHandle&, torch::jit::Stack*) {
    TORCH_CHECK(false, "binary_cross_entropy is unsafe to autocast; use binary_cross_entropy_with_logits");
}

template <c10::DeviceType device>
void add_lists(torch::Library& library) {
    auto add = [&library](const char* name, const char* overload, auto kernel) {
        const std::string full = *overload == 0 ? name : std::string(name) + "." + overload;
        library.impl(full.c_str(), std::move(kernel));
    };
#define KERNEL_OF(function) torch::CppFunction::makeFromBoxedFunction<&function<device>>()
#define LOWER(name, ...) add(#name, #__VA_ARGS__, KERNEL_OF(in_lower));
#define SINGLE(name, ...) add(#name, #__VA_ARGS__, KERNEL_OF(in_single));
#define TO_SINGLE(name, ...) add(#name, #__VA_ARGS__, KERNEL_OF(to_single));
#define WIDEST(name, ...) add(#name, #__VA_ARGS__, KERNEL_OF(in_widest));
    AT_FORALL_LOWER_PRECISION_FP(LOWER)
    AT_FORALL_FP32(SINGLE)
    AT_FORALL_FP32_SET_OPT_DTYPE(TO_SINGLE)
    AT_FORALL_PROMOTE(WIDEST)
    add("norm", "Scalar", KERNEL_OF(in_single));
    add("norm", "ScalarOpt_dim", KERNEL_OF(in_single));
#undef KERNEL_OF
#undef LOWER
#undef SINGLE
#undef TO_SINGLE
#undef WIDEST
    library.impl("binary_cross_entropy", torch::CppFunction::makeFromBoxedFunction<&refuse_binary_cross_entropy>());
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library) { library.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, library) { add_lists<c10::kPrivateUse1>(library); }

}  // namespace

void add_cuda_lists(torch::Library& library) { add_lists<c10::kCPU>(library); }

}  // namespace emulator
