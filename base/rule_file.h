// Reads a JSON file of rules/.
#pragma once

#include <string>

#include "base/data_store.h"
#include "base/json.h"

namespace base {

// Fails with rule_data; `wanted_by` is the place of the error when there is no such file.
Result<JsonDocument> read_rule_file(const DataStore& store, const std::string& path, const std::string& wanted_by);
// The same of a file that nothing else names.
Result<JsonDocument> read_rule_file(const DataStore& store, const std::string& path);

}  // namespace base
