// The rules that a report speaks of, as it explains them.
#pragma once

#include <vector>

#include "migrator/report/report.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

// Sorted by id. Rules that are no data, such as those about unreadable files, are not among them.
std::vector<RuleRow> rule_rows(const RuleSet& rules, const Report& report);

// What the findings and rules of the report cite.
std::map<std::string, SourceEntry> source_rows(const RuleSet& rules, const Report& report);

}  // namespace migrator
