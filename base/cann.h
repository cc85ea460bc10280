// Where CANN lies: rules/start/cann.json.
#pragma once

#include <string>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"

namespace base {

// Lines of the shell that load CANN's environment from the first of its usual places that is there, or end the script; without a
// line end at their end.
Result<std::string> cann_lines(const DataStore& store);

// The names of the scripts that load CANN's environment and NNAL's, without their places.
Result<std::vector<std::string>> cann_scripts(const DataStore& store);

}  // namespace base
