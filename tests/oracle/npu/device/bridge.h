// Runs operators on the CPU, on the very memory of the emulated device.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/util/Exception.h>

#include <optional>
#include <unordered_map>
#include <vector>

namespace emulator {

template <typename List, typename Function>
c10::IValue mapped(const List& values, Function function) {
    auto result = values.copy();
    for (size_t i = 0; i < result.size(); ++i) result.set(i, function(values.get(i)));
    return result;
}

// Applies `function` to the tensors in a value of any nesting, and `other` to what else it may hold.
template <typename Function, typename Other>
c10::IValue over_tensors(const c10::IValue& value, const Function& function, const Other& other) {
    if (value.isTensor()) return function(value.toTensor());
    if (value.isTensorList()) return mapped(value.toTensorList(), function);
    if (value.isOptionalTensorList()) {
        return mapped(value.toOptionalTensorList(), [&](const std::optional<at::Tensor>& tensor) {
            return tensor ? std::optional<at::Tensor>(function(*tensor)) : std::nullopt;
        });
    }
    if (value.isList()) {
        return mapped(value.toList(),
                      [&](const c10::IValue& element) { return over_tensors(element, function, other); });
    }
    return other(value);
}

template <typename Function>
c10::IValue over_tensors(const c10::IValue& value, const Function& function) {
    return over_tensors(value, function, [](const c10::IValue& rest) { return rest; });
}

// One call of an operator: arguments go over to the CPU, results come back. A tensor of the CPU made here shares the memory of
// its original; what the operator does to its size or storage is done to the original by finish().
class Bridge {
public:
    at::Tensor to_cpu(const at::Tensor& tensor);
    c10::IValue to_cpu(const c10::IValue& value);

    // After the operator: carries changed sizes and storages over to the originals. Once, before to_npu.
    void finish();
    at::Tensor to_npu(const at::Tensor& tensor);
    c10::IValue to_npu(const c10::IValue& value);

    // The NPU that the call is about, if any of the arguments spoke of one.
    std::optional<c10::Device> device() const { return device_; }

private:
    c10::Storage to_cpu(const c10::Storage& storage);
    c10::Storage to_npu(const c10::Storage& storage);
    void note(c10::Device device);

    struct Pair {
        at::Tensor npu, cpu;
    };
    struct Storages {
        c10::Storage npu, cpu;
        const void* data;
    };
    std::vector<Pair> tensors_;
    std::vector<Storages> storages_;
    std::vector<at::Tensor> untouched_;  // Arguments that lived on the CPU.
    std::optional<c10::Device> device_;
};

// Swallows warnings while it is the handler: torch reports each kernel that is replaced.
struct Silence final : c10::WarningHandler {
    void process(const c10::Warning&) override {}
};

// The fallback of all operators that torch does not express by others.
void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace emulator
