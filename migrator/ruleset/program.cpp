#include "migrator/ruleset/program.h"

#include "migrator/ruleset/rule_set.h"

namespace migrator {

base::Status add(RuleSet& set, ProgramRow row, ProgramFix fix, const Adding&) {
    row.fix = std::move(fix);
    set.programs.push_back(std::move(row));
    return {};
}

}  // namespace migrator
