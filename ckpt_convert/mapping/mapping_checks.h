// What a mapping must hold besides its form: every weight is stored, and every tensor can be made of its weights.
#pragma once

#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

// Fails with rule_data.
Status check_mapping(const ModelMapping& mapping);

}  // namespace ckpt
