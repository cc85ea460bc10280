// Sheets of the memory of the device that operators take.
#pragma once

#include "migrator/compare/operator_sheets.h"

namespace migrator {

struct MemorySheets {
    Sheet statistic, details;
};

// Fails where a table cannot be read at all; one that is missing has no allocations.
// `damage`: of tables that are not whole, of which the rows before it count.
base::Result<MemorySheets> memory_sheets(const PairedSides& sides, std::vector<std::string>& damage);

}  // namespace migrator
