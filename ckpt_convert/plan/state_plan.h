// Extends a conversion of weights by their optimizer states, which move exactly as the weights do.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ckpt_convert/plan/conversion_plan.h"
#include "ckpt_convert/plan/state_source.h"

namespace ckpt {

// The states of a target tensor: numbers in ConversionPlan::targets, in the order of kOptimizerStates.
using StateTargets = std::array<std::uint32_t, kOptimizerStates.size()>;

// Adds moves and targets for the states of the targets in `wanted`, and the states' places to `index`, which is that of
// the weights. A new target is named "<prefix>STATE/<name>", where the weight is "<chunk>/<name>", with the shape that its
// file has. Gives the states of each target of before; of those not wanted 0. The extended plan is proven. `first`: of
// kOptimizerStates, the first that is added; the weights may be the copies in full precision themselves.
Result<std::vector<StateTargets>> add_states(ConversionPlan& plan, TensorIndex& index, const Model& model,
                                             const StateSource& states, const std::vector<bool>& wanted,
                                             std::string_view prefix, std::size_t first = 0);

}  // namespace ckpt
