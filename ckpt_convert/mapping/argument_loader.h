// Reads the entries of the sections `args` and `flags` of a mapping file; see rules/models/README.md.
#pragma once

#include <string>

#include "base/json.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

base::Result<ArgumentRule> read_argument(const base::JsonDocument& document, const std::string& name,
                                         const base::Json& json);

}  // namespace ckpt
