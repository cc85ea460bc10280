// Calibration: what a user's own run says of the estimate: its step as a number, or the profile of a step.
#pragma once

#include <optional>

#include "ckpt_convert/step_time/step_time.h"

namespace ckpt {

struct Calibration {
    double step_seconds = 0;         // measured
    std::string source;              // of the file: what the number is
    std::optional<double> peak_gib;  // max allocated of the fullest device, where the file says it
};

// The file is JSON: {"step_seconds": 31.2, "peak_gib": 45.1}, or what `migrator profile --json` or `migrator compare --json` says of
// one step (of a comparison the new side). Fails with usage, and says what was looked for.
Result<Calibration> read_calibration(base::FileSystem& fs, const Path& path);

// Measured over estimated. Fails with usage outside the limits of the rules, and says which part of the estimate would have to be wrong.
Result<double> time_scale(const Calibration& measured, const StepTime& estimate, const CalibrationLimits& limits);

}  // namespace ckpt
