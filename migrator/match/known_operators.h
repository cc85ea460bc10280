// Operators of C++ that rules know: which one it is, and what is said of it.
#pragma once

#include <string>
#include <vector>

#include "migrator/match/cpp_signature.h"
#include "migrator/python/finding.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

// The first row that has one of the names, and a parameter of the signature where both are known; nullptr: none.
const KnownOperatorRow* known_operator(const RuleSet& rules, const std::vector<std::string>& names,
                                       const CppSignature& signature);

// A finding of a binding says what the operator computes and what stands for it.
void become_known(const KnownOperatorRow& known, Finding& finding);
// And again what the rule of the binding says.
void become_unknown(const Rule& rule, Finding& finding);

}  // namespace migrator
