// training_args.sh: the command line that a training run needs to load a checkpoint, as a shell array.
#pragma once

#include <string>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/base_names.h"

namespace ckpt {

// The file beside a Megatron checkpoint that says how a training run loads it.
inline constexpr const char* kTrainingArgsFile = "training_args.sh";

// Fills templates/launch/training_args.sh.
Result<std::string> training_args(const base::DataStore& store, const std::vector<std::string>& flags,
                                  const std::string& title);

}  // namespace ckpt
