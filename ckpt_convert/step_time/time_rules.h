// TimeRules: rules/planner/step_time.json: what of a device training reaches, and how sure that is.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

enum class Basis { measured, derived, assumed };
std::string_view name(Basis basis);

}  // namespace ckpt

template <>
inline constexpr auto base::kAll<ckpt::Basis> = std::to_array({ckpt::Basis::measured, ckpt::Basis::derived,
                                                               ckpt::Basis::assumed});

namespace ckpt {

// A number of the model of time, and where it comes from.
struct TimeFactor {
    double value = 0;
    Basis basis = Basis::assumed;
    std::string about;
    std::vector<std::string> source;

    Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const TimeFactor*) {
    using base::field;
    return base::record("planner_share", "a number of the model of time",
                        field("value", &TimeFactor::value, "the number").needed(),
                        field("basis", &TimeFactor::basis, "how it is known").needed(),
                        field("about", &TimeFactor::about, "why it is that"),
                        field("source", &TimeFactor::source, "where it comes from: citations"));
}

// Shares of peak FLOP/s, of memory's and of the links' bytes per second; microseconds where the name says so.
struct DeviceShares {
    std::string name;
    std::vector<std::string> devices;  // presets of rules/planner/hardware.json
    std::string like;                  // an entry before it, of which it has what it does not say
    std::optional<TimeFactor> gemm, fp8_gain;
    std::optional<TimeFactor> attention_forward,
        attention_backward;                                     // of the full square, so that causal ones can pass 1
    std::optional<TimeFactor> latent_forward, latent_backward;  // the same of multi-latent attention
    std::optional<TimeFactor> attention_us, vector, cross_entropy, ring, all_to_all, between_nodes, call_us, launch_us;
};
using DeviceShare = std::pair<std::string_view, std::optional<TimeFactor> DeviceShares::*>;
inline constexpr std::array kDeviceShares{
    DeviceShare{"gemm", &DeviceShares::gemm},
    DeviceShare{"fp8_gain", &DeviceShares::fp8_gain},
    DeviceShare{"attention_forward", &DeviceShares::attention_forward},
    DeviceShare{"attention_backward", &DeviceShares::attention_backward},
    DeviceShare{"latent_forward", &DeviceShares::latent_forward},
    DeviceShare{"latent_backward", &DeviceShares::latent_backward},
    DeviceShare{"attention_us", &DeviceShares::attention_us},
    DeviceShare{"vector", &DeviceShares::vector},
    DeviceShare{"cross_entropy", &DeviceShares::cross_entropy},
    DeviceShare{"ring", &DeviceShares::ring},
    DeviceShare{"all_to_all", &DeviceShares::all_to_all},
    DeviceShare{"between_nodes", &DeviceShares::between_nodes},
    DeviceShare{"call_us", &DeviceShares::call_us},
    DeviceShare{"launch_us", &DeviceShares::launch_us},
};
constexpr auto record_of(const DeviceShares*) {
    using base::field;
    using D = DeviceShares;
    return base::record(
        "planner_device_shares", "what training reaches of devices", field("name", &D::name, "of the entry").needed(),
        field("devices", &D::devices, "presets of rules/planner/hardware.json").needed(),
        field("like", &D::like, "an entry before it, of which it has what it does not say"),
        field("gemm", &D::gemm, "of the bf16 peak, in matrix products of 0.05 TFLOP and more"),
        field("fp8_gain", &D::fp8_gain, "what FP8 makes of it, in units of the bf16 peak"),
        field("attention_forward", &D::attention_forward, "of the peak; the full square counts"),
        field("attention_backward", &D::attention_backward, "of the peak; 2.5 times the forward pass counts"),
        field("latent_forward", &D::latent_forward, "the same of multi-latent attention"),
        field("latent_backward", &D::latent_backward, "the same of multi-latent attention"),
        field("attention_us", &D::attention_us, "what each attention takes besides"),
        field("vector", &D::vector, "of memory's bandwidth, in element-wise work"),
        field("cross_entropy", &D::cross_entropy, "of memory's bandwidth, in the loss"),
        field("ring", &D::ring, "of the link inside a node: all-gather, reduce-scatter"),
        field("all_to_all", &D::all_to_all, "of the link inside a node: all-to-all"),
        field("between_nodes", &D::between_nodes, "of the link between nodes"),
        field("call_us", &D::call_us, "what each collective takes besides"),
        field("launch_us", &D::launch_us, "what the host takes for an operator"));
}

struct CommonShares {
    TimeFactor gap, memory_stream, expert_weight_gradients, tensor_backward, tensor_overlap, expert_overlap,
        expert_graphs, pipeline, pipeline_overlap, data, data_room, host_gb_s, ring_attention;
};
constexpr auto record_of(const CommonShares*) {
    using base::field;
    using S = CommonShares;
    return base::record(
        "planner_common_shares", "what holds for every device",
        field("gap", &S::gap, "a real step over the sum of its operators").needed(),
        field("memory_stream", &S::memory_stream, "of memory's bandwidth, where weights and states stream").needed(),
        field("expert_weight_gradients", &S::expert_weight_gradients,
              "bytes of weights that their gradient costs in grouped products, in units of the forward pass")
            .needed(),
        field("tensor_backward", &S::tensor_backward, "seen of tensor parallelism's collectives backward").needed(),
        field("tensor_overlap", &S::tensor_overlap, "seen of them where they overlap with products").needed(),
        field("expert_overlap", &S::expert_overlap, "seen of the exchange between experts where it overlaps").needed(),
        field("expert_graphs", &S::expert_graphs, "of launches that graphs leave in layers of experts").needed(),
        field("pipeline", &S::pipeline, "seen of what stages send").needed(),
        field("pipeline_overlap", &S::pipeline_overlap, "seen of it where it overlaps").needed(),
        field("data", &S::data, "seen of the reduction of gradients where it overlaps").needed(),
        field("data_room", &S::data_room, "of a micro-batch under which it can hide").needed(),
        field("host_gb_s", &S::host_gb_s, "10^9 bytes per second between a device and its host").needed(),
        field("ring_attention", &S::ring_attention, "seen of what ring attention sends").needed());
}

// How far the time of a step is from its estimate: (1 + low) to (1 + high).
struct TimeBand {
    std::string of;
    double low = 0, high = 0;
    Basis basis = Basis::assumed;
    std::string about;
    std::vector<std::string> source;
};
constexpr auto record_of(const TimeBand*) {
    using base::field;
    return base::record("planner_time_band", "how far a step can be from its estimate",
                        field("of", &TimeBand::of, "dense, experts or fsdp2").needed(),
                        field("low", &TimeBand::low, "a share of it, below 0").needed(),
                        field("high", &TimeBand::high, "a share of it, above 0").needed(),
                        field("basis", &TimeBand::basis, "how it is known").needed(),
                        field("about", &TimeBand::about, "why it is that"),
                        field("source", &TimeBand::source, "where it comes from: citations"));
}

// Between which scales a calibration is taken.
struct CalibrationLimits {
    double least = 0, most = 0;
};
constexpr auto record_of(const CalibrationLimits*) {
    using base::field;
    return base::record("planner_calibration", "which scales a calibration may have",
                        field("least", &CalibrationLimits::least, "measured over estimated").needed(),
                        field("most", &CalibrationLimits::most, "measured over estimated").needed());
}

struct TimeRules {
    std::vector<DeviceShares> devices;
    CommonShares shares;
    std::vector<TimeBand> bands;
    CalibrationLimits calibration;

    static Result<TimeRules> load(const base::DataStore& store);

    // Those of the preset, all there; fails with usage when no entry names it.
    Result<DeviceShares> of_device(const std::string& preset) const;
    const TimeBand& band(std::string_view of) const;  // that must be there
};

}  // namespace ckpt
