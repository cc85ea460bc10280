// path_reader: what tells discovery of the paths that files of a project compose.
#pragma once

#include "base/data_store.h"
#include "migrator/source/named_path.h"

namespace migrator {

// Of Python, notebooks and scripts of a shell; of other files it knows nothing. Fails with rule_data.
base::Result<PathReader> path_reader(const base::DataStore& store);

}  // namespace migrator
