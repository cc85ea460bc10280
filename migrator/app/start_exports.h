// start_exports: what a project's own script exports, as lines of the script that starts its program on NPUs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "migrator/ruleset/rule_set.h"
#include "migrator/start/script_exports.h"
#include "migrator/start/start_facts.h"
#include "migrator/start/started_program.h"

namespace migrator {

// Variables of CUDA under their names on the NPU, or as a remark where a person has to choose; of secrets the name alone.
std::vector<std::string> start_exports(const RuleSet& rules, const StartFacts& facts,
                                       std::span<const ScriptAssignment> assignments);

// Of a YAML file or a Dockerfile that starts a program: which of its settings are the program's is not known, so they are named as a remark.
std::vector<std::string> settings_apart(const StartFacts& facts, std::string_view text);

// Lines for a batch system, which are taken over; those that may hold a secret as a remark.
std::vector<std::string> shown_headers(const StartFacts& facts, std::vector<std::string> headers);

// The command that starts a program, as it may be shown.
std::string shown_command(const StartFacts& facts, const StartedProgram& started);

}  // namespace migrator
