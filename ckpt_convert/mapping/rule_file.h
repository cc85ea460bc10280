// Reads a JSON file of rules/.
#pragma once

#include <string>

#include "base/data_store.h"
#include "base/json.h"

namespace ckpt {

// Fails with rule_data; `wanted_by` is the place of the error when there is no such file.
base::Result<base::JsonDocument> read_rule_file(const base::DataStore& store, const std::string& path,
                                                const std::string& wanted_by);

}  // namespace ckpt
