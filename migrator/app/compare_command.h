// compare, profile: what `migrator compare BASE NEW` and `migrator profile PATH` print.
#pragma once

#include "base/file_system.h"
#include "base/result.h"
#include "migrator/app/options.h"

namespace migrator {

struct CompareResult {
    std::string text;
    std::vector<std::string> damage;  // of files that were read as far as they are whole
};

// Fails with bad_input for a profile that is missing or none, with usage for a step that it does not have.
base::Result<CompareResult> run_compare(const Options& options, base::FileSystem& fs);

// The same of `migrator profile PATH`.
base::Result<CompareResult> run_profile(const Options& options, base::FileSystem& fs);

}  // namespace migrator
