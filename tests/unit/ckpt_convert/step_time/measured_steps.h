// Steps of training that others measured, with what the model of time says of each.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/step_time/step_time.h"

namespace ckpt::test {

struct MeasuredStep {
    std::string id, set, device;
    ModelShape model;
    TrainingJob job;
    Overlap overlap;
    double seconds = 0;             // measured
    bool is_batch_unknown = false;  // micro-batch and virtual stages are not published: the best of a few
};

// tests/unit/ckpt_convert/step_time/measured.json
std::vector<MeasuredStep> measured_steps();

// Layers as even as they go, fewer at both ends.
Placement even_placement(const ModelShape& model, int stages, int chunks);

StepTime estimate(const MeasuredStep& step, const TimeRules& rules, const DeviceTable& devices);

}  // namespace ckpt::test
