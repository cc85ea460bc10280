// The sheet of kernels by their type and core, from the table that the profiler itself has summed up.
#pragma once

#include "migrator/compare/operator_sheets.h"

namespace migrator {

// The type that takes the most times as long first. Without rows where a side has no such table. Fails where one cannot be read.
// `damage`: of tables that are not whole, of which the rows before it count.
base::Result<Sheet> kernel_type_sheet(const ProfileSide& base, const ProfileSide& compared,
                                      std::vector<std::string>& damage);

}  // namespace migrator
