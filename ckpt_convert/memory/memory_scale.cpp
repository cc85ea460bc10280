#include "ckpt_convert/memory/memory_scale.h"

#include "base/format.h"
#include "ckpt_convert/memory/budget.h"

namespace ckpt {
namespace {

Result<std::optional<double>> used_share(const MeasuredMemory& measured, const MemoryCalibration& limits) {
    if (!measured.reserved) return std::optional<double>();
    const double used = measured.peak / *measured.reserved;
    if (used > 1)
        return base::fail(
            ErrorKind::usage,
            base::format("--calibrate: \"reserved_gib\" {} is less than \"peak_gib\" {}; the allocator holds "
                         "at least what it has handed out: give max_memory_reserved and max_memory_allocated",
                         *measured.reserved, measured.peak));
    if (used < limits.least_used)
        return base::fail(
            ErrorKind::usage,
            base::format("--calibrate: tensors take {:.0f} % of what the allocator holds, less than {:.0f} %; "
                         "set expandable_segments:True and measure again",
                         100 * used, 100 * limits.least_used));
    return std::optional(used);
}

}  // namespace

Result<MemoryScale> memory_scale(const MeasuredMemory& measured, const std::vector<StageMemory>& planned,
                                 const MemoryCalibration& limits) {
    MemoryScale out;
    out.stage = measured.stage ? static_cast<std::size_t>(*measured.stage) : fullest_stage(planned);
    if (out.stage >= planned.size())
        return base::fail(ErrorKind::usage, base::format("--calibrate: there is no stage {}; they are 0 to {}",
                                                         out.stage, planned.size() - 1));
    const StageMemory& stage = planned[out.stage];
    out.peak = measured.peak * kGiB;
    const double moving = stage[MemoryLine::activations] + stage[MemoryLine::working];
    const double standing = stage.peak() - moving;
    if (out.peak <= standing)
        return base::fail(
            ErrorKind::usage,
            base::format("--calibrate: \"peak_gib\" {} is not above the {:.2f} GiB of weights, gradients, "
                         "optimizer and buffers of stage {}; measure after the second step, when the optimizer "
                         "has its states",
                         measured.peak, gib(standing), out.stage));
    if (stage.binding == Binding::optimizer || stage.optimizer_work > out.peak - standing)
        return base::fail(
            ErrorKind::usage,
            base::format("--calibrate: stage {} is fullest at the optimizer's step, which says nothing of "
                         "activations; measure another stage and give its \"stage\"",
                         out.stage));
    out.kept = (out.peak - standing) / moving;
    if (out.kept < limits.least || out.kept > limits.most)
        return base::fail(
            ErrorKind::usage,
            base::format("--calibrate: what layers of stage {} keep and work with would be {:.2f} times the {:.2f} GiB "
                         "planned, outside {} to {}; {}",
                         out.stage, out.kept, gib(moving), limits.least, limits.most,
                         out.kept > 1
                             ? "does the run lack flash attention, sequence parallelism or a fused loss, or route "
                               "tokens unevenly? Say with --with what it does"
                             : "is it the peak of this stage, with this sequence and micro-batch, and without "
                               "recomputation that the plan does not know?"));
    TRY_ASSIGN(out.used, used_share(measured, limits));
    return out;
}

}  // namespace ckpt
