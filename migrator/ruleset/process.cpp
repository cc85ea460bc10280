#include "migrator/ruleset/process.h"

#include "base/format.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

base::Status ProcessFix::check(const base::JsonPlace& at) const {
    if (!insert.empty() && insert.find(kNumber) == insert.npos)
        return at.error(base::format("\"insert\" needs {} in it, the number of the device", kNumber));
    return {};
}

base::Status add(RuleSet& set, ProcessRow row, ProcessFix fix, const Adding&) {
    row.fix = std::move(fix);
    set.processes.push_back(std::move(row));
    return {};
}

}  // namespace migrator
