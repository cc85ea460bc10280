// The sheet of collectives, with the tasks in each.
#pragma once

#include "migrator/compare/profile_side.h"
#include "migrator/compare/sheet.h"

namespace migrator {

// By the name of the collective, in the order in which they came first. Ours: a collective of a GPU is called by its second word
// ("allreduce"), and tasks stand beside those of the same name; msprof has all collectives of a GPU in one row, and pairs tasks by
// their place.
Sheet communication_sheet(const ProfileSide& base, const ProfileSide& compared, ProfileNumbers numbers);

}  // namespace migrator
