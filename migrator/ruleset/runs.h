// `runs`: public names of the framework by what becomes of their operators on the chip (rules/operators).
#pragma once

#include <map>
#include <string_view>

#include "migrator/rule/rule_word.h"

namespace migrator {

enum class RunsCase { on_cpu, backward_on_cpu, sometimes_on_cpu, compiled, unknown, unverified };
std::string_view name(RunsCase which);

// What is said in each case; a case without a rule is not said.
using RunsRules = std::map<RunsCase, const Rule*>;

base::Status add(RuleSet& set, RunsCase which, const Adding& adding);

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::RunsCase> = [] {
    using enum migrator::RunsCase;
    return std::to_array({on_cpu, backward_on_cpu, sometimes_on_cpu, compiled, unknown, unverified});
}();
