// The rules whose message speaks of a word that `migrator explain` is asked for.
#pragma once

#include <string>
#include <vector>

#include "migrator/ruleset/rule_set.h"

namespace migrator {

// The first of them, in the order of the rules.
std::vector<std::string> rules_speaking_of(const RuleSet& rules, const std::string& word);

}  // namespace migrator
