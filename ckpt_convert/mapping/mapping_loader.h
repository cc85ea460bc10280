// Reads one mapping file, with the blocks it includes.
#pragma once

#include <string>

#include "base/rule_file.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

// Most families include the same blocks, which `files` reads once.
Result<ModelMapping> load_mapping(base::RuleFiles& files, const std::string& path);

}  // namespace ckpt
