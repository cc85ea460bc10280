// Writes the rows of a padded vocabulary that no weight fills.
#pragma once

#include <vector>

#include "ckpt_convert/execute/run_sums.h"
#include "ckpt_convert/execute/tile_copier.h"

namespace ckpt {

// Zero rows, or the mean of the rows that are there, which are read once more for it. Adds to `runs`.
Status fill_rows(const ConversionPlan& plan, const TensorIndex& source, const std::vector<TargetPlace>& places,
                 RunSums& runs);

}  // namespace ckpt
