// Sheets of modules: what each costs on both sides, and what its operators do.
#pragma once

#include "migrator/compare/module_tree.h"
#include "migrator/compare/operator_sheets.h"

namespace migrator {

struct ModuleSides {
    PairedSides operators;
    const ModuleTree &base, &compared;
};

// Modules of both sides that belong together; nullptr: that side has none.
struct ModulePair {
    const ModuleRun *base = nullptr, *compared = nullptr;
};

// The name of the operator in rows of ModuleCompareStatistic that are those of a module.
inline constexpr std::string_view kModuleTotal = "[ TOTAL ]";

// Level by level, by path; empty where a side has no modules.
std::vector<ModulePair> pair_modules(const ModuleSides& sides, const PairingOptions& options);

// By path of modules, and unless details are left out each run of a module. Nothing where there are no pairs.
void add_module_sheets(const ModuleSides& sides, const std::vector<ModulePair>& pairs, const PairingOptions& options,
                       std::vector<Sheet>& out);

}  // namespace migrator
