#include "ckpt_convert/memory/states.h"

#include <algorithm>

namespace ckpt {
namespace {

double weight_bytes(const TrainingJob& job) { return job.precision == Precision::fp32 ? 4 : 2; }

// Master weights and moments; with fp16 also the float32 gradients that the optimizer works with.
double adam_bytes(const TrainingJob& job) {
    const OptimizerOptions& options = job.optimizer;
    double master = options.o2 ? 0 : options.master_bytes;
    if (job.precision == Precision::fp32) master = 0;
    const double moments = options.muon ? options.moment_bytes / 2 : options.moment_bytes;
    double out = master + (options.virtual_states ? 0 : moments);
    if (job.precision == Precision::fp16) out += 4;
    // The bf16 weight is the upper half of the master weight. Without master weights there is nothing to reuse.
    if (options.reuse_fp32 && master == 4) out -= 2;
    return out;
}

}  // namespace

StateBytes state_bytes(const TrainingJob& job) {
    const OptimizerOptions& options = job.optimizer;
    StateBytes out;
    out.weights = weight_bytes(job);
    if (job.mode == TrainingMode::dpo) out.weights += weight_bytes(job);  // the reference model
    out.gradients = job.precision == Precision::fp16   ? 2
                    : job.precision == Precision::fp32 ? 4
                                                       : options.gradient_bytes;
    out.optimizer = adam_bytes(job);
    if (options.virtual_states) out.swapped = options.moment_bytes;
    if (options.swap) {
        out.swapped = out.optimizer;
        out.window = out.optimizer / std::max(options.swap_times, 1);
        out.optimizer = 0;
    }
    return out;
}

StateBytes frozen_bytes(const TrainingJob& job) { return {weight_bytes(job), 0, 0, 0, 0}; }

}  // namespace ckpt
