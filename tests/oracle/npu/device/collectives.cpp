// Collectives of torch.distributed on tensors of the emulated device.
//
// The back end registered for the device is gloo, which knows memory of the CPU only. Each collective is called for the CPU with the
// same memory and with a group that has that back end there.

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "bridge.h"

namespace emulator {
namespace {

using c10d::ProcessGroup;

c10::intrusive_ptr<ProcessGroup> group_for_cpu(const c10::intrusive_ptr<ProcessGroup>& group) {
    auto backend = group->getBackend(c10::kPrivateUse1);
    auto made = c10::make_intrusive<ProcessGroup>(group->getRank(), group->getSize());
    made->setBackend(c10::kCPU, ProcessGroup::BackendType::GLOO, backend);
    made->setDefaultBackend(ProcessGroup::BackendType::GLOO);
    return made;
}

void collective(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const auto arguments = op.schema().arguments();
    const size_t first = stack->size() - arguments.size();
    for (size_t i = first; i < stack->size(); ++i) {
        auto& value = (*stack)[i];
        if (value.isObject() && value.type()->repr_str().find("c10d.ProcessGroup") != std::string::npos) {
            value = c10::IValue(group_for_cpu(value.toCustomClass<ProcessGroup>()));
        }
    }
    run_on_cpu(op, stack);
}

TORCH_LIBRARY_IMPL(c10d, PrivateUse1, library) {
    Silence silence;
    const c10::WarningUtils::WarningHandlerGuard guard(&silence);
    for (const char* name :
         {"allreduce_", "allreduce_coalesced_", "broadcast_", "allgather_", "_allgather_base_", "allgather_coalesced_",
          "allgather_into_tensor_coalesced_", "reduce_scatter_", "_reduce_scatter_base_",
          "reduce_scatter_tensor_coalesced_", "reduce_", "gather_", "scatter_", "alltoall_", "alltoall_base_",
          "barrier", "send", "recv_", "recv_any_source_"}) {
        library.impl(name, torch::CppFunction::makeFromBoxedFunction<&collective>());
    }
}

}  // namespace
}  // namespace emulator
