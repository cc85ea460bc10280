// KernelUnits: whether kernels do what the units of their cores can, as figures for advice.
#pragma once

#include <string>

#include "base/file_system.h"
#include "migrator/profile/advice.h"
#include "migrator/profile/device_info.h"
#include "migrator/profile/profile_names.h"
#include "migrator/profile/profile_source.h"
#include "migrator/profile/unit_rules.h"

namespace migrator {

// Reads the table of kernels once. `step`: only kernels of this one; empty: all. A column or a table that is not there says nothing.
base::Status add_unit_figures(const ProfileSource& source, const KernelColumns& columns, const ProfileNames& names,
                              const UnitRules& rules, const DeviceInfo& device, const std::string& step,
                              ProfileFigures& out);

}  // namespace migrator
