// Devices that a training can run on: presets of rules/planner/hardware.json, each with its source, all to be overridden.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rule_file.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/job/measured_memory.h"

namespace ckpt {

// What one device has. Bandwidths are in one direction, of one device, decimal; nullopt: nothing is published.
struct Device {
    std::string id, name, vendor;
    std::vector<std::string> also;                                              // other words for it
    std::optional<double> bf16_tflops, fp16_tflops, fp8_tflops, vector_tflops;  // dense
    std::optional<double> hbm_gib;                                              // what the runtime reports, 2^30 bytes
    std::string hbm_nominal;
    std::optional<double> hbm_tb_s;
    std::int64_t per_node = 8;
    std::optional<double> intra_gb_s, inter_gb_s;
    bool npu = false;          // HCCL, and statistics of attention in blocks of eight
    bool takes_flash = false;  // Transformer Engine takes FlashAttention on it, not cuDNN's attention
    std::string confidence, note, source;
};

constexpr auto record_of(const Device*) {
    using base::field;
    return base::record(
        "device", "what one device has", field("id", &Device::id, "the word for --device").needed(),
        field("name", &Device::name, "for people").needed(), field("also", &Device::also, "other words for it"),
        field("vendor", &Device::vendor, "").needed(),
        field("bf16_dense_tflops", &Device::bf16_tflops, "peak of dense bf16 products"),
        field("fp16_dense_tflops", &Device::fp16_tflops, "peak of dense fp16 products"),
        field("fp8_dense_tflops", &Device::fp8_tflops, "peak of dense fp8 products"),
        field("vector_bf16_tflops", &Device::vector_tflops, "peak of vector units"),
        field("hbm_gib", &Device::hbm_gib, "what the runtime reports, in 2^30 bytes"),
        field("hbm_nominal", &Device::hbm_nominal, "what the data sheet calls it"),
        field("hbm_tb_s", &Device::hbm_tb_s, "10^12 bytes per second"),
        field("devices_per_node", &Device::per_node, "devices that the fast links connect"),
        field("intra_node_gb_s", &Device::intra_gb_s, "10^9 bytes per second and direction inside the node"),
        field("inter_node_gb_s", &Device::inter_gb_s, "the same between nodes, the share of one device"),
        field("npu", &Device::npu, "an Ascend NPU"),
        field("takes_flash_attention", &Device::takes_flash,
              "Transformer Engine takes FlashAttention on it; without it attention of cuDNN"),
        field("confidence", &Device::confidence, "high, medium or low").needed(),
        field("note", &Device::note, "what should be known of the figures"),
        field("source", &Device::source, "where the figures come from").needed());
}

// What of a device's memory a training cannot have.
struct ReserveRules {
    double fixed_gib = 0;     // driver and runtime
    double usable_share = 1;  // of the rest: fragments of the allocator
    std::string buffer_variable;
    std::int64_t buffer_mib = 0, buffers = 0;  // of each group of ranks, outside the allocator (NPUs)
    std::int64_t groups = 0, expert_groups = 0, sharded_groups = 0;
};
constexpr auto record_of(const ReserveRules*) {
    using base::field;
    return base::record(
        "reserve", "what of a device's memory a training cannot have",
        field("fixed_gib", &ReserveRules::fixed_gib, "driver and runtime, in 2^30 bytes").needed(),
        field("usable_share", &ReserveRules::usable_share, "what fragments of the allocator leave of the rest")
            .needed(),
        field("buffer_variable", &ReserveRules::buffer_variable,
              "the variable with the size of a buffer, in 2^20 bytes")
            .needed(),
        field("buffer_mib", &ReserveRules::buffer_mib, "what it is where nothing sets it").needed(),
        field("buffers", &ReserveRules::buffers, "buffers of this size for each group of ranks").needed(),
        field("groups", &ReserveRules::groups, "groups of ranks of a training with Megatron").needed(),
        field("expert_groups", &ReserveRules::expert_groups, "more of them with experts").needed(),
        field("sharded_groups", &ReserveRules::sharded_groups, "groups of ranks of a training with FSDP2").needed());
}

struct DeviceTable : base::RuleFileHead {
    ReserveRules reserve;
    MemoryCalibration calibration;
    std::vector<Device> devices;
};
constexpr auto record_of(const DeviceTable*) {
    return base::extended(record_of(static_cast<const base::RuleFileHead*>(nullptr)), "devices",
                          "devices that a training can run on",
                          base::field("reserve", &DeviceTable::reserve, "what a training cannot have").needed(),
                          base::field("calibration", &DeviceTable::calibration, "measured memory").needed(),
                          base::field("devices", &DeviceTable::devices, "one each").needed());
}

// rules/planner/hardware.json. Fails with rule_data.
Result<DeviceTable> load_devices(const base::DataStore& store);
// The device of this word. Fails with usage, and names those that there are.
Result<const Device*> find_device(const DeviceTable& table, std::string_view word);

}  // namespace ckpt
