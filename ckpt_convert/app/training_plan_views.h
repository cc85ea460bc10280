// The plan of a training as text for people, and as JSON.
#pragma once

#include <string>

#include "base/language.h"
#include "ckpt_convert/app/training_plan.h"

namespace ckpt {

struct PlanView {
    base::Language language;
    bool colour = false;
    std::optional<int> explained;  // a stage, tensor by tensor
    std::string model;             // as the conversion's command names it
};

// Fails with usage where there is no such stage.
Result<std::string> training_plan_text(const TrainingPlan& plan, const PlanView& view);
Result<std::string> training_plan_json(const TrainingPlan& plan, const PlanView& view);

}  // namespace ckpt
