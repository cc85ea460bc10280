// ops: what `migrator ops INPUT` prints of the operators that a trace, a graph, a log or a list names, and the files of its report;
// and what `migrator rules operators` prints of all that are known.
#pragma once

#include <string>

#include "base/file_system.h"
#include "base/result.h"
#include "migrator/app/options.h"

namespace migrator {

struct OpsResult {
    std::string text;
    std::string warning;  // empty: none
    bool failed = false;  // by --fail-on
};

// Fails with usage for a chip or version that is none, with bad_input where the input names no operator.
base::Result<OpsResult> run_ops(const Options& options, base::FileSystem& fs);

// Fails with usage for a chip or version that is none.
base::Result<std::string> operator_list_page(const Options& options, base::FileSystem& fs);

}  // namespace migrator
