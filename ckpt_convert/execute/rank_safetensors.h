// Files of safetensors for each rank of a program that loads its own share, as vLLM's sharded state.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/execute/safetensors_file.h"

namespace ckpt {

// What TargetTensor::file is the rank of. Each rank has its tensors in parts of at most `part_bytes`, and every number in the
// first.
Result<OutputPlan> rank_safetensors(const ConversionPlan& plan, std::uint32_t ranks, std::uint64_t part_bytes,
                                    const std::vector<FileNumber>& numbers);

}  // namespace ckpt
