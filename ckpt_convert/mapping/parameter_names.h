// The names of Megatron's parameters in the order in which its modules make them, as rules/parameters/ lists them.
#pragma once

#include <string>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/base_names.h"

namespace ckpt {

// Names of one model chunk, with 0 for every number; a model has some of them. Fails with rule_data.
Result<std::vector<std::string>> load_parameter_names(const base::DataStore& store);

}  // namespace ckpt
