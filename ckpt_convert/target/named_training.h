// The state of the optimizer on its way to a checkpoint with PyTorch's names, by the names of the weights.
#pragma once

#include "ckpt_convert/execute/named_training.h"
#include "ckpt_convert/mapping/adam_settings.h"
#include "ckpt_convert/open/source.h"
#include "ckpt_convert/plan/conversion_plan.h"
#include "ckpt_convert/target/kept_state.h"

namespace ckpt {

// Adds the moments to the plan of the weights, and their files to the index of `source`; gives what else is saved of the
// optimizer. Fails with unsupported when parts of a tensor have different settings.
Result<NamedTraining> carry_named_training(const KeptState& kept, const AdamSettings& adam, Source& source,
                                           ConversionPlan& plan);

}  // namespace ckpt
