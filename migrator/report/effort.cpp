#include "migrator/report/effort.h"

#include <algorithm>

#include "base/check.h"

namespace migrator {

Effort open_effort(const FindingOutcome& outcome) {
    switch (outcome.state) {
        case FixState::applied:
        case FixState::available:
        case FixState::at_run_time: return Effort::none;
        case FixState::uncertain: return std::min(outcome.finding.effort, Effort::check);
        case FixState::none:
        case FixState::conflict:
        case FixState::syntax_guard: return outcome.finding.effort;
    }
    CHECK(false);
    return {};
}

std::string_view name(Readiness readiness) {
    switch (readiness) {
        case Readiness::ready: return "ready";
        case Readiness::small_work: return "small_work";
        case Readiness::blocked: return "blocked";
    }
    CHECK(false);
    return {};
}

Readiness readiness_of(Effort costliest) {
    if (costliest == Effort::none) return Readiness::ready;
    return costliest <= Effort::edit ? Readiness::small_work : Readiness::blocked;
}

}  // namespace migrator
