// The chips that operators are judged for (rules/operators/chips.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"
#include "migrator/operators/operator_rows.h"

namespace migrator {

// Fails with rule_data.
base::Result<ChipsFile> load_chips(const base::DataStore& store);
// By its name or one that people call it, in capitals or not; nullptr: there is no such chip.
const ChipRow* find_chip(const ChipsFile& chips, std::string_view word);
// The same, of a word that a person gives; empty: the usual chip. Fails with usage, and tells what is meant.
base::Result<const ChipRow*> chosen_chip(const ChipsFile& chips, std::string_view word);

}  // namespace migrator
