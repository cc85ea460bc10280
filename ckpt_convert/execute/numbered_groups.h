// The groups of an optimizer's parameters as PyTorch saves them: settings, and the numbers of what is in them.
#pragma once

#include <cstddef>
#include <vector>

#include "ckpt_convert/execute/named_training.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"

namespace ckpt {

// `numbers`: by group. Fails with unsupported for settings that are no numbers or texts.
Result<pickle::Value*> numbered_groups(TorchFilePlan& file, const NamedTraining& training,
                                       const std::vector<std::vector<std::size_t>>& numbers);

}  // namespace ckpt
