// StepTime: how long a step of training takes: its micro-batches through the stages of the pipeline, what is sent besides, and
// the optimizer.
#pragma once

#include <vector>

#include "ckpt_convert/step_time/layer_time.h"
#include "ckpt_convert/step_time/pipeline_schedule.h"

namespace ckpt {

// Seconds of one micro-batch, by kinds of layers: what depends on the split of layers and tokens, not on stages.
struct MicroTime {
    std::vector<LayerTime> kinds;  // as ModelShape::kinds
    LayerTime mtp;
    PassTime head;
};

struct StepTime {
    double seconds = 0;                             // of a step
    double low = 0, high = 0;                       // where it lies
    std::vector<std::vector<ChunkTime>> stages;     // [stage][chunk], of one micro-batch, without the gap
    std::size_t slowest = 0;                        // of the stages
    PassTime of_slowest;                            // by kinds of work, of one micro-batch
    double pipeline = 0;                            // all micro-batches through all stages
    double bubble = 0;                              // the part of `pipeline` in which the slowest stage waits, 0 to 1
    double sent = 0, gradients = 0, optimizer = 0;  // seconds seen of each
    double gap = 1;                                 // by which all of it is longer than its parts
    double tokens_per_second = 0;                   // of one device
    double model_flops = 0;  // of a token: forward and backward, nothing twice, attention to the half
    double utilisation = 0;  // model_flops over the peak of the precision: MFU
};

class StepClock {
public:
    // Fails as LayerClock::make does. Model and rules must outlive it.
    static Result<StepClock> make(const ModelShape& model, const Device& device, const TimeRules& rules,
                                  Precision precision, bool fp8);

    MicroTime micro(const TrainingJob& job, const Overlap& overlap) const;
    // `placement` is that of the job; `scale`: measured over estimated, 1 where nothing was measured.
    StepTime step(const TrainingJob& job, const Overlap& overlap, const Placement& placement, const MicroTime& micro,
                  double scale = 1) const;

    // The whole pipeline, task by task, of at most `micro_batches`.
    PipelineChart chart(const TrainingJob& job, const StepTime& time, std::size_t micro_batches) const;

    // FLOP of a token: forward and backward; what is computed again does not count, and of attention the causal half.
    // `is_frozen`: weights need no gradients.
    double model_flops(std::int64_t sequence, bool is_frozen) const;
    const LayerClock& layers() const { return layers_; }

private:
    StepClock(const ModelShape& model, const TimeRules& rules, const LayerClock& layers)
        : model_(&model), rules_(&rules), layers_(layers) {}

    void add_stages(StepTime& out, const TrainingJob& job, const Placement& placement, const MicroTime& micro) const;
    double pipeline_seconds(StepTime& out, const TrainingJob& job) const;
    double sent_seconds(const TrainingJob& job, const Overlap& overlap, std::size_t chunks) const;
    void add_states(StepTime& out, const TrainingJob& job, const Overlap& overlap, const Placement& placement) const;
    void add_shards(StepTime& out, const TrainingJob& job) const;

    const ModelShape* model_;
    const TimeRules* rules_;
    LayerClock layers_;
};

// Whole layers of a chunk that are computed again: of `layers` of it, `before` of the rank's.
std::size_t recomputed_layers(const MemoryOptions& memory, std::size_t layers, std::size_t before);

}  // namespace ckpt
