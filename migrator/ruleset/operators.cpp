#include "migrator/ruleset/operators.h"

#include <algorithm>

#include "migrator/ruleset/rule_set.h"

namespace migrator {

base::Status add(RuleSet& set, KnownOperatorRow row, const Adding& adding) {
    if (row.names.empty()) return adding.place.error("\"names\" must hold at least one name");
    for (const std::string& name : row.names) {
        if (name.empty() || name == "*" || std::count(name.begin(), name.end(), '*') > 1)
            return adding.place.error("a name of an operator may have one *, next to something");
    }
    TRY(adding.claim_all("the operator {}", row.names));
    set.known_operators.push_back(std::move(row));
    return {};
}

base::Status add(RuleSet& set, OperatorPlaces places, const base::JsonPlace& at) {
    if (!set.operator_places.builders.empty()) return at.error("there already are \"operator_places\"");
    set.operator_places = std::move(places);
    return {};
}

}  // namespace migrator
