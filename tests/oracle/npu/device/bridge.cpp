#include "bridge.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/CPUAllocator.h>

#include "rules.h"
#include "runtime.h"

namespace emulator {
namespace {

bool on_npu(const c10::Device& device) { return device.type() == c10::kPrivateUse1; }

// Gives `made` the sizes of `like`.
at::Tensor shaped(at::Tensor made, const at::Tensor& like) {
    auto* impl = made.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
    if (like.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
    impl->_set_conj(like.is_conj());
    impl->_set_neg(like.is_neg());
    return made;
}

at::Tensor over(const at::Tensor& like, const c10::Storage& storage, c10::DispatchKey key) {
    return shaped(
        at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage), c10::DispatchKeySet(key), like.dtype()), like);
}

// A view of `base`: in inference mode it is as much of an inference tensor as its base.
at::Tensor view_of(const at::Tensor& base, const at::Tensor& like) {
    return shaped(at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(base.storage()),
                                                           base.key_set(), like.dtype()),
                  like);
}

}  // namespace

void Bridge::note(c10::Device device) {
    if (!device_) device_ = device.has_index() ? device : npu(-1);
}

c10::Storage Bridge::to_cpu(const c10::Storage& storage) {
    note(storage.device());
    for (const auto& known : storages_) {
        if (known.npu.is_alias_of(storage)) return known.cpu;
    }
    auto* keep = new c10::Storage(storage);
    c10::DataPtr data(
        storage.mutable_data(), keep, [](void* context) { delete static_cast<c10::Storage*>(context); },
        c10::Device(c10::kCPU));
    auto made =
        c10::Storage(c10::Storage::use_byte_size_t(), storage.nbytes(), std::move(data), c10::GetCPUAllocator(), true);
    storages_.push_back({storage, made, made.data()});
    return made;
}

at::Tensor Bridge::to_cpu(const at::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    if (!on_npu(tensor.device())) {
        untouched_.push_back(tensor);
        return tensor;
    }
    for (const auto& known : tensors_) {
        if (known.npu.is_same(tensor)) return known.cpu;
    }
    auto made = over(tensor, to_cpu(tensor.storage()), c10::DispatchKey::CPU);
    tensors_.push_back({tensor, made});
    return made;
}

c10::IValue Bridge::to_cpu(const c10::IValue& value) {
    return over_tensors(
        value, [this](const at::Tensor& tensor) { return to_cpu(tensor); },
        [this](const c10::IValue& other) -> c10::IValue {
            if (other.isStorage() && on_npu(other.toStorage().device())) return to_cpu(other.toStorage());
            if (other.isGenerator() && on_npu(other.toGenerator().device())) return host_generator(other.toGenerator());
            if (other.isDevice() && on_npu(other.toDevice())) {
                note(other.toDevice());
                return c10::Device(c10::kCPU);
            }
            return other;
        });
}

void Bridge::finish() {
    for (const auto& storage : storages_) {
        if (storage.cpu.data() == storage.data && storage.cpu.nbytes() == storage.npu.nbytes()) continue;
        // Resized by the operator: a copy of the storage takes its new memory along.
        auto* cpu = storage.cpu.unsafeGetStorageImpl();
        auto* npu = storage.npu.unsafeGetStorageImpl();
        const size_t bytes = cpu->nbytes();
        auto taken =
            c10::Storage(c10::Storage::use_byte_size_t(), bytes, cpu->set_data_ptr(c10::DataPtr()), nullptr, false);
        npu->set_data_ptr_noswap(adopt(std::move(taken), npu->device()));
        npu->set_nbytes(bytes);
    }
    for (const auto& [npu, cpu] : tensors_) {
        auto* impl = npu.unsafeGetTensorImpl();
        const auto storage = to_npu(cpu.storage());
        if (!storage.is_alias_of(npu.storage())) impl->set_storage_keep_dtype(storage);
        if (npu.sizes() != cpu.sizes() || npu.strides() != cpu.strides() ||
            npu.storage_offset() != cpu.storage_offset()) {
            impl->set_sizes_and_strides(cpu.sizes(), cpu.strides(), cpu.storage_offset());
        }
    }
}

c10::Storage Bridge::to_npu(const c10::Storage& storage) {
    for (const auto& known : storages_) {
        if (known.cpu.is_alias_of(storage)) return known.npu;
    }
    auto* allocator = c10::GetAllocator(c10::kPrivateUse1);
    auto made =
        c10::Storage(c10::Storage::use_byte_size_t(), storage.nbytes(), adopt(storage, *device_), allocator, true);
    storages_.push_back({made, storage, storage.data()});
    return made;
}

at::Tensor Bridge::to_npu(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.device().is_cpu() || !device_) return tensor;
    for (const auto& known : tensors_) {
        if (known.cpu.is_same(tensor)) return known.npu;
    }
    for (const auto& argument : untouched_) {
        if (argument.is_same(tensor)) return tensor;
    }
    for (const auto& known : tensors_) {
        if (known.cpu.storage().is_alias_of(tensor.storage())) return view_of(known.npu, tensor);
    }
    return over(tensor, to_npu(tensor.storage()), c10::DispatchKey::PrivateUse1);
}

c10::IValue Bridge::to_npu(const c10::IValue& value) {
    return over_tensors(value, [this](const at::Tensor& tensor) { return to_npu(tensor); });
}

void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const auto& schema = op.schema();
    const size_t first = stack->size() - schema.arguments().size();
    check_call(op, torch::jit::last(*stack, schema.arguments().size()));
    Bridge bridge;
    for (size_t i = first; i < stack->size(); ++i) (*stack)[i] = bridge.to_cpu((*stack)[i]);
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    bridge.finish();
    for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i)
        (*stack)[i] = bridge.to_npu((*stack)[i]);
}

}  // namespace emulator
