// The arguments object of a Megatron checkpoint, as JSON: what can be said in JSON is kept, the rest is null.
#pragma once

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt {

// An object of the Namespace's attributes; an empty object when `namespace_value` is not a Namespace. Tuples and sets
// become arrays, torch dtypes their name ("torch.bfloat16"), anything else (enums, functions) null.
Json args_to_json(pickle::Ref namespace_value);

}  // namespace ckpt
