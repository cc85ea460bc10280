#include "migrator/ruleset/method.h"

#include "base/text.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

NameRow member_row(const MethodRow& method, const std::string& owner) {
    auto row = row_of<NameRow>(method.rule);
    const auto& fix = method.fix;
    if (!fix || base::contains(fix->except, owner)) return row;
    row.to = fix->wrap.empty() ? owner + "." + fix->rename : fix->wrap;
    row.assigned = fix->assigned;
    if (!fix->is_plain()) row.member = fix;
    return row;
}

}  // namespace

base::Status add(RuleSet& set, MethodRow row, MemberFix fix, const Adding& adding) {
    if (!fix.to().empty()) row.fix = std::move(fix);
    for (const std::string& name : row.names) {
        set.methods.add(name, row);
        // Of an object whose class is known, the member has a qualified name like any other.
        for (const std::string& owner : row.of)
            TRY(set.names.add(adding.place, owner + "." + name, member_row(row, owner)));
    }
    return {};
}

}  // namespace migrator
