// SideFigures: what advice asks of one profile.
#pragma once

#include "base/data_store.h"
#include "migrator/compare/profile_side.h"
#include "migrator/profile/advice.h"

namespace migrator {

// Reads the tables that the side itself does not keep. Fails with rule_data, or where the disk does.
base::Status add_side_figures(base::FileSystem& fs, const base::DataStore& store, const ProfileSide& side,
                              ProfileFigures& out);

}  // namespace migrator
