// What a user's own run held on its fullest device, or on one of a named stage.
#pragma once

#include <optional>

#include "base/rule_file.h"
#include "ckpt_convert/base_names.h"

namespace ckpt {

struct MeasuredMemory {
    double peak = 0;                 // GiB that tensors held at most: max_memory_allocated of PyTorch
    std::optional<double> reserved;  // GiB that the allocator held at most: max_memory_reserved
    std::optional<int> stage;        // nullopt: the one that the plan finds fullest
};

// Which scales may come of it. A record of rules/planner/hardware.json.
struct MemoryCalibration {
    double least = 0, most = 0;  // of what layers keep and work with
    double least_used = 0;       // of what the allocator holds
};
constexpr auto record_of(const MemoryCalibration*) {
    using base::field;
    return base::record(
        "memory_calibration", "which measured memory is believed",
        field("least", &MemoryCalibration::least, "measured over planned, of what layers keep and work with").needed(),
        field("most", &MemoryCalibration::most, "measured over planned, of what layers keep and work with").needed(),
        field("least_used", &MemoryCalibration::least_used, "what tensors take of what the allocator holds").needed());
}

}  // namespace ckpt
