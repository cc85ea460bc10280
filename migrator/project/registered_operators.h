// registered_operators: where the Python files of a project call the operators that its C++ sources register.
#pragma once

#include <vector>

#include "migrator/match/operator_calls.h"
#include "migrator/project/job.h"
#include "migrator/report/report.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

// Whether there are sources that can register operators, so that calls are worth collecting.
bool registers_operators(const std::vector<Job>& jobs);

// Adds to the message of every finding about a registered operator from where it is called. `facts` and `files`: of the
// jobs, in their order.
void add_operator_calls(const RuleSet& rules, const std::vector<JobFacts>& facts, std::vector<ReportFile>& files);

}  // namespace migrator
