// PlanProof: that a plan loses nothing and writes everything, checked on the plan alone.
#pragma once

#include "ckpt_convert/plan/conversion_plan.h"

namespace ckpt {

// Every element of every target tensor is written exactly once; every logical tensor is read exactly once in full;
// every piece lies inside its tensors. A plan that fails is our own mistake, hence `internal`.
Status prove_plan(const ConversionPlan& plan, const TensorIndex& source);

}  // namespace ckpt
