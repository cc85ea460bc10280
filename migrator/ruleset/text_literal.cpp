#include "migrator/ruleset/text_literal.h"

#include "base/text.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

base::Status StringRow::check(const base::JsonPlace& at) const {
    if (values.empty() == !qualified_names)
        return at.error("a string rule has either \"values\" or \"qualified_names\": true");
    return {};
}

base::Status add(RuleSet& set, StringRow row, TextFix fix, const Adding& adding) {
    TRY(adding.claim_all("the string \"{}\"", row.values));
    for (const auto& [from, to] : fix.replace) {
        if (!base::contains(row.values, from))
            return adding.place.error(base::format("\"{}\" is replaced, but it is not in \"values\"", from));
    }
    row.fix = std::move(fix);
    set.strings.push_back(std::move(row));
    return {};
}

}  // namespace migrator
