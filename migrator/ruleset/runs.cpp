#include "migrator/ruleset/runs.h"

#include "base/check.h"
#include "base/format.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

std::string_view name(RunsCase which) {
    switch (which) {
        case RunsCase::on_cpu: return "on_cpu";
        case RunsCase::backward_on_cpu: return "backward_on_cpu";
        case RunsCase::sometimes_on_cpu: return "sometimes_on_cpu";
        case RunsCase::compiled: return "compiled";
        case RunsCase::unknown: return "unknown";
        case RunsCase::unverified: return "unverified";
    }
    CHECK(false);
    return {};
}

base::Status add(RuleSet& set, RunsCase which, const Adding& adding) {
    const auto [at, is_new] = set.runs_rules.emplace(which, adding.rule);
    if (is_new) return {};
    return adding.place.error(
        base::format("\"{}\" is already covered by the rule \"{}\"", name(which), at->second->id));
}

}  // namespace migrator
