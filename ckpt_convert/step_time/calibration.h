// Calibration: what a user's own run says of the estimate: its step as a number, or the profile of a step, and its memory.
#pragma once

#include <optional>

#include "base/in_json.h"
#include "ckpt_convert/job/measured_memory.h"
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
    std::optional<double> step_seconds;  // measured
    std::optional<MeasuredMemory> memory;
    std::optional<MeasuredLayout> layout;
    std::optional<std::string> choices;  // words of --with that were set, where they are not those of the plan
};

// The file is JSON: {"step_seconds": 31.2, "peak_gib": 41.5, "reserved_gib": 44, "stage": 0, "layout": {"tp": 2, "pp": 4}, "with":
// "recompute-full"}, with a step, a peak or both, or what `migrator profile --json` or `migrator compare --json` says of
// one step (of a comparison the new side). Fails with usage, and says what was looked for.
Result<Calibration> read_calibration(base::FileSystem& fs, const Path& path);

// `job` in the layout that the file names.
TrainingJob in_layout(const MeasuredLayout& layout, const TrainingJob& job);

// Measured over estimated, of a step that was measured. Fails with usage outside the limits of the rules, and says which part of the estimate would have to be wrong.
Result<double> time_scale(const Calibration& measured, const StepTime& estimate, const CalibrationLimits& limits);

}  // namespace ckpt
