// What is left to a person once the tool is done: of a finding, a file and a project.
#pragma once

#include <string_view>

#include "migrator/rewrite/file_outcome.h"

namespace migrator {

// Nothing when it is applied, can be applied or is redirected at run time; a look where a fix waits for a person.
Effort open_effort(const FindingOutcome& outcome);

// Of a file or a project, by the costliest finding that is open.
enum class Readiness {
    ready,       // nothing is left after the rewrite
    small_work,  // looks, and lines that the messages name
    blocked,     // interfaces or packages to replace, code to port or to write anew
};
std::string_view name(Readiness readiness);
Readiness readiness_of(Effort costliest);

}  // namespace migrator
