// Checkpoints of models that no mapping file describes: every tensor is a weight of its own, under the name that it has.
#pragma once

#include <string>

#include "ckpt_convert/open/source.h"
#include "ckpt_convert/plan/boxed_parts.h"

namespace ckpt {

// Whether such a checkpoint can be taken: it is allowed, and no option asks for what only a family tells.
bool takes_plain_names(const SourceOptions& options);

// A source with one weight for each tensor of the index. `reason`: why no family is known. `trained`: those that an optimizer
// has a state of, the others are buffers to it; null: nothing is told. The config, if there is one, is for the caller to add.
// Fails with bad_input when parts do not make up a tensor.
Result<Source> plain_source(TensorIndex index, const TensorNames* trained, const std::string& reason,
                            const SourceOptions& options);

}  // namespace ckpt
