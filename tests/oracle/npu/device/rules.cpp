#include "rules.h"

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bridge.h"

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

// By name and overload, as "lgamma.out".
struct Verdicts {
    std::unordered_set<std::string> refused, on_cpu;
    std::unordered_map<std::string, std::vector<std::string>> dtypes;  // that the one kernel behind an operator takes
};

Verdicts& verdicts() {
    static Verdicts all;
    return all;
}

// `kernels`: operators that torch_npu registers, which torch would compute by their forms with "out" otherwise.
void set_verdicts(const std::vector<std::string>& kernels, const std::vector<std::string>& refused,
                  const std::vector<std::string>& on_cpu,
                  const c10::Dict<std::string, std::vector<std::string>>& dtypes) {
    Verdicts& all = verdicts();
    all = {{refused.begin(), refused.end()}, {on_cpu.begin(), on_cpu.end()}, {}};
    for (const auto& item : dtypes) all.dtypes.emplace(item.key(), item.value());
    static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
    for (const std::string& name : kernels)
        library.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
}

struct Warned {
    std::mutex mutex;
    std::set<std::string> names;
};

Warned& warned() {
    static Warned all;
    return all;
}

// The operators that were computed on the CPU since the last call; they are warned of again.
std::vector<std::string> take_warned() {
    const std::lock_guard<std::mutex> lock(warned().mutex);
    const std::set<std::string> names = std::exchange(warned().names, {});
    return {names.begin(), names.end()};
}

TORCH_LIBRARY_FRAGMENT(npu_emulator, library) {
    library.def("set_verdicts", &set_verdicts);
    library.def("take_warned", &take_warned);
}

std::string plain_name(const c10::OperatorHandle& op) {
    const auto& name = op.operator_name();
    const std::string plain = name.name.substr(name.name.find("::") + 2);
    return name.overload_name.empty() ? plain : plain + "." + name.overload_name;
}

// As torch_npu warns.
void warn_once(const std::string& name) {
    {
        const std::lock_guard<std::mutex> lock(warned().mutex);
        if (!warned().names.insert(name).second) return;
    }
    TORCH_WARN("CAUTION: The operator 'aten::", name,
               "' is not currently supported on the NPU backend and will fall back to run on the CPU. This may have "
               "performance implications.");
}

// "float32" of at::kFloat, as torch calls dtypes.
std::string dtype_name(at::ScalarType type) {
    static const std::unordered_map<at::ScalarType, std::string> names = {{at::kFloat, "float32"},
                                                                          {at::kHalf, "float16"},
                                                                          {at::kBFloat16, "bfloat16"},
                                                                          {at::kDouble, "float64"},
                                                                          {at::kChar, "int8"},
                                                                          {at::kShort, "int16"},
                                                                          {at::kInt, "int32"},
                                                                          {at::kLong, "int64"},
                                                                          {at::kByte, "uint8"},
                                                                          {at::kBool, "bool"},
                                                                          {at::kComplexHalf, "complex32"},
                                                                          {at::kComplexFloat, "complex64"},
                                                                          {at::kComplexDouble, "complex128"}};
    const auto found = names.find(type);
    return found == names.end() ? std::string() : found->second;
}

template <typename Function>
void for_each_tensor(const c10::IValue& value, const Function& function) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) function(value.toTensor());
    } else if (value.isList()) {
        for (const c10::IValue& element : value.toListRef()) for_each_tensor(element, function);
    }
}

void check_verdict(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    if (op.schema().name().rfind("aten::", 0) != 0) return;
    const Verdicts& known = verdicts();
    const std::string name = plain_name(op);
    TORCH_CHECK_NOT_IMPLEMENTED(known.refused.count(name) == 0, "Could not run 'aten::", name,
                                "' with arguments from the 'npu' backend.");
    if (known.on_cpu.count(name) != 0) warn_once(name);
    const auto allowed = known.dtypes.find(name);
    if (allowed == known.dtypes.end() || arguments.empty() || !arguments[0].isTensor()) return;
    const at::Tensor first = arguments[0].toTensor();
    if (!first.defined()) return;
    const std::string dtype = dtype_name(first.scalar_type());
    TORCH_CHECK(std::find(allowed->second.begin(), allowed->second.end(), dtype) != allowed->second.end(), name,
                ": the NPU has no kernel for ", dtype);
}

}  // namespace

void check_call(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    check_verdict(op, arguments);
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
