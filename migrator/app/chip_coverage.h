// chip_coverage: where each chip runs the operators behind the interfaces that a project uses.
#pragma once

#include <vector>

#include "base/data_store.h"
#include "base/result.h"
#include "migrator/project/job.h"
#include "migrator/report/coverage_rows.h"

namespace migrator {

// `facts`: of each file. One row for every chip; none when no interface with operators is used. Fails with rule_data.
base::Result<std::vector<ChipCoverageRow>> chip_coverage(const base::DataStore& store,
                                                         const std::vector<JobFacts>& facts);

}  // namespace migrator
