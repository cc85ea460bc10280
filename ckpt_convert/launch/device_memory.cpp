#include "ckpt_convert/launch/device_memory.h"

#include "ckpt_convert/job/shape_rules.h"
#include "ckpt_convert/memory/budget.h"
#include "ckpt_convert/memory/stage_memory.h"
#include "ckpt_convert/open/wanted_values.h"

namespace ckpt {

Result<DeviceMemory> DeviceMemory::make(const base::DataStore& store, const Source& model, const Device& device,
                                        const ReserveRules& reserve, Choices choices) {
    DeviceMemory out;
    out.choices_ = std::move(choices);
    TRY_ASSIGN(const ShapeRules rules, load_shape_rules(store));
    TRY_ASSIGN(out.shape_, shape_of(model.model, {{}, &model.config->root, nullptr}, rules));
    out.device_ = device;
    out.reserve_ = reserve;
    return out;
}

std::optional<Shortage> DeviceMemory::shortage(const TrainingJob& job, std::optional<std::int64_t> buffer_mib) const {
    const Parallelism& ranks = job.ranks;
    // A layout that cannot be is said by others; of some devices nobody has said what they have.
    if (ranks.devices % (ranks.tp * ranks.pp * ranks.cp) != 0) return std::nullopt;
    const auto stages = memory_of(shape_, job, device_.npu);
    const auto budget = budget_of(device_, reserve_, shape_, job, {{}, {}, buffer_mib, {}});
    if (!stages || !budget) return std::nullopt;
    Shortage out{fullest_stage(*stages), 0, budget->usable(), nullptr};
    out.needed = (*stages)[out.stage].peak();
    if (out.needed <= out.usable) return std::nullopt;
    for (const Choice& choice : choices_.choices) {
        if (!is_suggested(choice, shape_, job.engine)) continue;
        TrainingJob other = job;
        apply_choice(choice, 0, other);
        const auto then = memory_of(shape_, other, device_.npu);
        if (!then || (*then)[fullest_stage(*then)].peak() > out.usable) continue;
        out.remedy = &choice;
        break;
    }
    return out;
}

std::optional<std::int64_t> DeviceMemory::smaller_buffer(const TrainingJob& job, std::optional<std::int64_t> buffer_mib,
                                                         const ModelValues& numbers) const {
    // What experts send each other, and FSDP2 its parameters, is not in the number.
    const bool are_known = job.engine != Engine::fsdp2 && shape_.moe.experts == 0;
    const std::int64_t largest = are_known ? value_or_zero(numbers, "hccl_payload") : 0;
    const bool is_smaller = largest > 0 && largest < buffer_mib.value_or(reserve_.buffer_mib);
    return is_smaller && !shortage(job, largest) ? std::optional(largest) : std::nullopt;
}

}  // namespace ckpt
