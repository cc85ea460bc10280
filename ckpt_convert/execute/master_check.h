// Compares weights with their copies in full precision, of which a run makes them anew after every step.
#pragma once

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/plan/state_source.h"

namespace ckpt {

// Reads some elements of every weight that has a state: from its start and its end. That they agree shows that the states
// are those of these weights, in this order. Fails with bad_input and names the weight when they do not.
Status check_master_weights(const TensorIndex& weights, const StateSource& states, int threads);

}  // namespace ckpt
