#include "rules.h"

#include <ATen/core/Tensor.h>

#include <set>
#include <string>
#include <string_view>

namespace emulator {
namespace {

// Operators whose arguments may lie on different devices: copies, and indices, which may come from the CPU.
const std::set<std::string, std::less<>> kMixing = {
    "aten::_copy_from", "aten::_copy_from_and_resize", "aten::index",
    "aten::index_put_", "aten::_index_put_impl_",      "aten::set_",
};

// Operators of the matrix unit, which computes in half and single precision only (op-plugin's documentation of the operators).
const std::set<std::string, std::less<>> kMatrixUnit = {
    "aten::mm",
    "aten::addmm",
    "aten::bmm",
    "aten::baddbmm",
    "aten::addmv",
    "aten::dot",
    "aten::convolution_overrideable",
    "aten::convolution_backward_overrideable",
};

template <typename Function>
void for_each_tensor(const c10::IValue& value, const Function& function) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) function(value.toTensor());
    } else if (value.isList()) {
        for (const c10::IValue& element : value.toListRef()) for_each_tensor(element, function);
    }
}

}  // namespace

void check_arguments(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    const auto& name = op.schema().name();
    const bool mixing = kMixing.count(name) != 0;
    const bool matrix_unit = kMatrixUnit.count(name) != 0;
    std::optional<c10::Device> device;
    for (const auto& argument : arguments) {
        TORCH_CHECK(!argument.isGenerator() || argument.toGenerator().device().type() == c10::kPrivateUse1,
                    "Expected a 'npu' device type for generator but found '", argument.toGenerator().device(), "'");
        for_each_tensor(argument, [&](const at::Tensor& tensor) {
            // A number that lies on the CPU goes with everything.
            const bool number = tensor.dim() == 0 && tensor.device().is_cpu();
            if (!mixing && !number) {
                if (!device) device = tensor.device();
                TORCH_CHECK(*device == tensor.device(),
                            "Expected all tensors to be on the same device, but found at least two devices, ", *device,
                            " and ", tensor.device(), "! (", name, ")");
            }
            const auto type = tensor.scalar_type();
            TORCH_CHECK(!matrix_unit || (type != at::kDouble && !at::isComplexType(type)), name,
                        ": the NPU has no kernel for ", type, "; it computes this in float16, bfloat16 and float32");
        });
    }
}

}  // namespace emulator
