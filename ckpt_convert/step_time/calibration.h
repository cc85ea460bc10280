// Calibration: what a user's own run says of the estimate: its step as a number, or the profile of a step.
#pragma once

#include <optional>

#include "base/in_json.h"
#include "ckpt_convert/step_time/step_time.h"

namespace ckpt {

// The layout that a step was measured in, where that is not the one that is planned.
struct MeasuredLayout {
    std::int64_t tp = 1, pp = 1, cp = 1, ep = 1, etp = 0, virtual_stages = 1, micro_batch = 1;
};
constexpr auto record_of(const MeasuredLayout*) {
    using base::field;
    return base::record("measured_layout", "the layout that a step was measured in",
                        field("tp", &MeasuredLayout::tp, "tensor parallel size"),
                        field("pp", &MeasuredLayout::pp, "pipeline parallel size"),
                        field("cp", &MeasuredLayout::cp, "context parallel size"),
                        field("ep", &MeasuredLayout::ep, "expert parallel size"),
                        field("etp", &MeasuredLayout::etp, "tensor parallel size of experts; without it that of TP"),
                        field("virtual_stages", &MeasuredLayout::virtual_stages, "chunks of each pipeline rank"),
                        field("micro_batch", &MeasuredLayout::micro_batch, "samples of a micro-batch"));
}

struct Calibration {
    double step_seconds = 0;  // measured
    std::string source;       // of the file: what the number is
    std::optional<MeasuredLayout> layout;
};

// The file is JSON: {"step_seconds": 31.2, "layout": {"tp": 2, "pp": 4}}, or what `migrator profile --json` or `migrator compare --json` says of
// one step (of a comparison the new side). Fails with usage, and says what was looked for.
Result<Calibration> read_calibration(base::FileSystem& fs, const Path& path);

// Measured over estimated. Fails with usage outside the limits of the rules, and says which part of the estimate would have to be wrong.
Result<double> time_scale(const Calibration& measured, const StepTime& estimate, const CalibrationLimits& limits);

}  // namespace ckpt
