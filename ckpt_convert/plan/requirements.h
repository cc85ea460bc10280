// What a model asks of the layouts and forms that it can be written in.
#pragma once

#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

// Fails with usage, and says why the model needs it.
Status check_requirement(const Requirement& requirement, const Model& model, const ModelValues& facts);
// Those that its mapping has for this dialect.
Status check_requirements(const Model& model, const ModelValues& facts, const Dialect& dialect);

}  // namespace ckpt
