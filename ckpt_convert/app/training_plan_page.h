// The page of a training's plan: what every stage holds, as a picture. One file, no network, no script.
#pragma once

#include <string>

#include "base/data_store.h"
#include "ckpt_convert/app/training_plan_views.h"

namespace ckpt {

// Fails with rule_data where the template is missing.
Result<std::string> training_plan_page(const base::DataStore& templates, const TrainingPlan& plan,
                                       const PlanView& view);

}  // namespace ckpt
