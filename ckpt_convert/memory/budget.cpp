#include "ckpt_convert/memory/budget.h"

#include "base/format.h"

namespace ckpt {
namespace {

constexpr double kMiB = kGiB / 1024;

}  // namespace

Result<Budget> budget_of(const Device& device, const ReserveRules& rules, const ModelShape& model,
                         const TrainingJob& job, const BudgetOptions& options) {
    const std::optional<double> gib = options.hbm_gib ? options.hbm_gib : device.hbm_gib;
    if (!gib)
        return base::fail(ErrorKind::usage,
                          base::format("nothing is published about the memory of {}: give --hbm-gib", device.name));
    Budget out;
    out.capacity = *gib * kGiB;
    out.reserve = options.reserve_gib.value_or(rules.fixed_gib) * kGiB;
    if (device.npu && job.ranks.devices > 1) {
        std::int64_t groups = job.engine == Engine::fsdp2 ? rules.sharded_groups : rules.groups;
        if (model.moe.experts > 0) groups += rules.expert_groups;
        const auto buffer = static_cast<double>(options.buffer_mib.value_or(rules.buffer_mib));
        out.communication = static_cast<double>(groups * rules.buffers) * buffer * kMiB;
    }
    out.lost = (1 - options.used_share.value_or(rules.usable_share)) * (out.capacity - out.communication - out.reserve);
    return out;
}

}  // namespace ckpt
