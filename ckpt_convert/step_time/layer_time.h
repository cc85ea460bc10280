// LayerTime: how long a layer takes for one micro-batch on one rank, by kinds of work.
//
// Everything follows from sizes: floating-point operations over what of the peak such products reach, bytes over what of
// memory's bandwidth, messages over what of the links; rules/planner/step_time.json has the shares.
#pragma once

#include <array>

#include "ckpt_convert/job/hardware.h"
#include "ckpt_convert/job/training_job.h"
#include "ckpt_convert/step_time/time_rules.h"

namespace ckpt {

// products: matrix products; experts: grouped ones; launches: what the host takes; tensor, exchange, context: what the ranks of
// TP, EP and CP send, as far as nothing hides it.
enum class Work { products, experts, attention, vector, launches, tensor, exchange, context };
inline constexpr std::size_t kWorks = 8;
std::string_view name(Work work);

// What a training hides, beside what TrainingJob says.
struct Overlap {
    bool tensor = false;          // TP's messages under products: user buffers, CoC, MC2
    bool experts = false;         // the exchange under another micro-batch
    bool pipeline = false;        // what stages send
    bool data = true;             // the reduction of gradients
    bool graphs = false;          // CUDA graphs: no launches
    bool once_per_node = false;   // a token goes once to each node, and once to each rank, that has experts for it
    bool ring_attention = false;  // context parallelism sends keys and values around, instead of an all-to-all
};

// Seconds.
struct PassTime {
    std::array<double, kWorks> forward{}, backward{};

    double& of(Work work, bool is_backward) {
        return (is_backward ? backward : forward)[static_cast<std::size_t>(work)];
    }
    double forward_seconds() const;
    double backward_seconds() const;
};

struct LayerTime : PassTime {
    std::array<double, kParts> again{};  // what it costs to compute a part again

    // The backward pass with what the options compute again; `whole`: all of the layer.
    double backward_with(const MemoryOptions& memory, bool whole) const;
};

// The device as the model of time sees it: what its parts reach, per second.
struct DeviceSpeed {
    double product_flops = 0, small_product_flops = 0, peak = 0;  // FLOP/s; peak is that of the precision, without FP8
    double head_flops = 0;                                        // the head stays in the precision
    double attention_forward = 0, attention_backward = 0, latent_forward = 0, latent_backward = 0;
    double vector_bytes = 0, loss_bytes = 0, stream_bytes = 0;
    double ring_bytes = 0, all_to_all_bytes = 0, between_bytes = 0;
    double attention_seconds = 0, call_seconds = 0, launch_seconds = 0;
};

class LayerClock {
public:
    // Fails with usage when the device's peak, memory or links are not known, and says which option gives them.
    static Result<LayerClock> make(const ModelShape& model, const Device& device, const TimeRules& rules,
                                   Precision precision, bool fp8);

    LayerTime layer(const LayerShape& kind, const TrainingJob& job, const Overlap& overlap) const;
    // The projection to the vocabulary and the loss.
    PassTime head(const TrainingJob& job, const Overlap& overlap) const;

    // A tower before the language model, for one micro-batch; a frozen one has no backward pass.
    PassTime tower(const TowerShape& tower, const TrainingJob& job, int stage) const;

    // A collective that leaves `bytes` on each of `members` ranks, or takes them, which are `span` ranks apart in all.
    double ring(double bytes, int members, int span, int per_node) const;
    double send(double bytes, int distance, int per_node) const;
    const DeviceSpeed& speed() const { return speed_; }
    const CommonShares& shares() const { return *shares_; }

private:
    LayerClock(const ModelShape& model, const DeviceSpeed& speed, const CommonShares& shares)
        : model_(&model), speed_(speed), shares_(&shares) {}

    double product(double rows, double in, double out) const;
    void add_products(LayerTime& time, const LayerShape& kind, const TrainingJob& job) const;
    void add_experts(LayerTime& time, const TrainingJob& job) const;
    void add_attention(LayerTime& time, const LayerShape& kind, const TrainingJob& job) const;
    void add_vector(LayerTime& time, const LayerShape& kind, const TrainingJob& job) const;
    void add_launches(LayerTime& time, const LayerShape& kind, const Overlap& overlap) const;
    void add_messages(LayerTime& time, const LayerShape& kind, const TrainingJob& job, const Overlap& overlap) const;
    double exchange(const TrainingJob& job, const Overlap& overlap) const;

    const ModelShape* model_;
    DeviceSpeed speed_;
    const CommonShares* shares_;
};

}  // namespace ckpt
