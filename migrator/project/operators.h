// ProjectOperator: the operators that the C++ sources of a project offer to Python, each with all places that belong to it.
#pragma once

#include <vector>

#include "migrator/match/cpp_signature.h"
#include "migrator/project/job.h"
#include "migrator/report/operator_row.h"
#include "migrator/report/report.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

struct ProjectOperator {
    OperatorRow row;
    CppSignature signature;
    const KnownOperatorRow* known = nullptr;  // nullptr: the rules have none like it
};

// Takes what was found of an operator in several places together: one finding is left of each operator and its gradient, and
// names what was found. `facts` and `files`: of the jobs, in their order.
std::vector<ProjectOperator> find_operators(const RuleSet& rules, const std::vector<JobFacts>& facts,
                                            std::vector<ReportFile>& files);

std::vector<OperatorRow> operator_rows(const std::vector<ProjectOperator>& operators);

}  // namespace migrator
