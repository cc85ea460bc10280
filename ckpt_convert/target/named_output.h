// Outputs with the names of Hugging Face, whatever their files are.
#pragma once

#include "ckpt_convert/execute/dtensor_output.h"
#include "ckpt_convert/target/kept_state.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

// `kept`: the state of the optimizer that goes along; null: none. Fails with usage without a config.json of a known family.
Result<PlannedOutput> plan_named(base::FileSystem& fs, const Knowledge& knowledge, Source& source,
                                 const ConvertOptions& options, const KeptState* kept);

// The files of `parts` for ranks that load each its own, and what says how many they are. The texts so far go with the model.
Status add_rank_files(PlannedOutput& out, const std::vector<RankParts>& parts, const RanksRun& run,
                      const NamedTraining* training);

}  // namespace ckpt
