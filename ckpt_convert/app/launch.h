// The command launch: writes the scripts for a model.
#pragma once

#include "base/data_store.h"
#include "ckpt_convert/app/options.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

// Prints what it did; the exit code.
Result<int> launch(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                   const Options& options);

}  // namespace ckpt
