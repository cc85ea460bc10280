// What a Megatron checkpoint has beside its weights: the tracker, config and tokenizer of the model, the flags of a run.
#pragma once

#include <string>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/target/megatron_target.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

// The tracker and the config of the model. The tracker is what makes the checkpoint visible.
Status add_tracker_and_config(base::FileSystem& fs, const Source& source, const ConvertOptions& options,
                              const MegatronTarget& target, PlannedOutput& out);

// These, `flags` as training_args.sh, and the other files of the source's model.
Status add_training_files(base::FileSystem& fs, const base::DataStore& store, const Source& source,
                          const ConvertOptions& options, const MegatronTarget& target,
                          const std::vector<std::string>& flags, PlannedOutput& out);

}  // namespace ckpt
