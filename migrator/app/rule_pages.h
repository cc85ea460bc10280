// rule_pages: what `migrator explain` and `migrator rules` print.
#pragma once

#include <string>

#include "base/file_system.h"
#include "base/result.h"
#include "migrator/app/options.h"

namespace migrator {

// Fails with usage when there is no rule of this id, and names those that are alike.
base::Result<std::string> rule_pages(const Options& options, base::FileSystem& fs);

}  // namespace migrator
