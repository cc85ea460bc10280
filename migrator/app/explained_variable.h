// What `migrator explain` says of an environment variable of the NPU, or of an option in the value of one.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "base/language.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

// nullptr: it is neither.
const VariableValues* explained_variable(const RuleSet& rules, const std::string& word);
std::string variable_page(const base::Language& say, const RuleSet& rules, const VariableValues& row);
void write_variable(base::JsonWriter& json, const RuleSet& rules, const VariableValues& row);

}  // namespace migrator
