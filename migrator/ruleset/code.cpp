#include "migrator/ruleset/code.h"

#include "migrator/ruleset/rule_set.h"

namespace migrator {

base::Status add(RuleSet& set, CallRow row, const Adding&) {
    for (const std::string& function : row.of) {
        set.calls.add(function, row);
        const bool is_method = !row.when_imported.empty() && function.find('.') != function.npos;
        if (is_method) set.method_calls.add(last_part(function), row);
    }
    return {};
}

}  // namespace migrator
