// explain: what `migrator explain WORD` prints: of a rule all that it says and an example; of any other word what the
// rules say where it is used, and how versions of the framework support it.
#pragma once

#include <string>

#include "base/file_system.h"
#include "base/result.h"
#include "migrator/app/options.h"

namespace migrator {

// Text, or JSON when the options ask for it. Fails with usage when nothing is known of the word, and names rules that
// are alike.
base::Result<std::string> explain_page(const Options& options, base::FileSystem& fs);

}  // namespace migrator
