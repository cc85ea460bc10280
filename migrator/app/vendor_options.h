// The options of the vendor's comparison of profiles, translated into ours: compare -d NEW -bp BASE --disable_details ...
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace migrator {

// The words of `compare` with ours in place of the vendor's (rules/command_lines/msprof.json); other words stay. Fails with usage where
// an option lacks its value.
base::Result<std::vector<std::string>> translate_vendor_options(std::vector<std::string> words);

}  // namespace migrator
