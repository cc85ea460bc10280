// Parts of the time that grew by more than a limit: what --fail-over looks for.
#pragma once

#include <string>
#include <vector>

#include "migrator/compare/sheet.h"

namespace migrator {

// A sentence for each row of the overall sheet that takes more than `percent` longer than in the base, the whole included. Parts below
// a hundredth of the base are left out.
std::vector<std::string> slower_parts(const Sheet& overall, double percent);

}  // namespace migrator
