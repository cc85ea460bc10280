// Library mode: a package into a result that says which of its functions lead to what the NPU lacks; and such results
// into what is known when a project is analysed.
#pragma once

#include <string>

#include "migrator/app/options.h"
#include "migrator/project/knowledge.h"

namespace migrator {

// The result as JSON: docs/reference/library-schema.md.
base::Result<std::string> analyse_library(const Options& options, base::FileSystem& fs);

// Adds the results that the options name.
base::Status add_libraries(const Options& options, base::FileSystem& fs, Knowledge& knowledge);
// The same for the rules alone.
base::Status add_libraries(const Options& options, base::FileSystem& fs, RuleSet& rules);

}  // namespace migrator
