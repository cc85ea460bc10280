// api_coverage: how the versions of the framework support the interfaces that a project uses.
#pragma once

#include <string>
#include <vector>

#include "migrator/project/job.h"
#include "migrator/report/report.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

// `facts`: of each file. One row for every version that the tables know; none when nothing is used.
std::vector<ApiCoverageRow> api_coverage(const RuleSet& rules, const std::vector<JobFacts>& facts, Version chosen);

}  // namespace migrator
