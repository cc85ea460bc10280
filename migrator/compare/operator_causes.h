// OperatorCauses: why operators take longer than in the base, as far as a profile proves it, and where the code calls them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/data_store.h"
#include "base/file_system.h"
#include "migrator/compare/operator_sheets.h"

namespace migrator {

// The code of the project that was profiled.
struct ProjectCode {
    base::Path directory;                                                                // empty: not known
    std::map<std::pair<std::string, std::uint32_t>, std::vector<std::string>> findings;  // rules by file and line
};

// A row for each operator that takes more time on the device than in the base, the one that lost most first. Fails as reading the
// rules does.
base::Result<Sheet> operator_causes(base::FileSystem& fs, const base::DataStore& store, const PairedSides& sides,
                                    const ProjectCode& project);

// What a row of it says, for people.
std::vector<base::Message> causes_of(const SheetRow& row);

}  // namespace migrator
