// How much of a device's memory a training can have.
#pragma once

#include "ckpt_convert/job/hardware.h"
#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/job/training_job.h"

namespace ckpt {

inline constexpr double kGiB = 1024.0 * 1024 * 1024;  // bytes
inline constexpr double gib(double bytes) { return bytes / kGiB; }

// What the user says in place of the rules.
struct BudgetOptions {
    std::optional<double> hbm_gib;           // what the runtime reports
    std::optional<double> reserve_gib;       // beside the buffers of communication
    std::optional<std::int64_t> buffer_mib;  // HCCL_BUFFSIZE
    std::optional<double> used_share;        // what tensors take of what the allocator holds, measured
};

// Bytes.
struct Budget {
    double capacity = 0;
    double communication = 0;  // outside the allocator
    double reserve = 0;        // driver, context, runtime
    double lost = 0;           // to fragments of the allocator
    double usable() const { return capacity - communication - reserve - lost; }
};

// Fails with usage when nothing says what the device has.
Result<Budget> budget_of(const Device& device, const ReserveRules& rules, const ModelShape& model,
                         const TrainingJob& job, const BudgetOptions& options);

}  // namespace ckpt
