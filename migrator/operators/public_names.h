// The public names of torch, with what becomes of each (rules/operators).
#pragma once

#include <vector>

#include "base/data_store.h"
#include "base/result.h"
#include "migrator/operators/operator_rows.h"

namespace migrator {

// Those of which an analysis says something. Fails with rule_data.
base::Result<std::vector<PublicNameRow>> load_told_names(const base::DataStore& store);
// All of them. Fails with rule_data.
base::Result<std::vector<PublicNameRow>> load_public_names(const base::DataStore& store);

}  // namespace migrator
