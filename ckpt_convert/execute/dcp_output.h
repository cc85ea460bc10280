// The files of a checkpoint of torch.distributed.checkpoint as programs with fully_shard load it, laid out.
#pragma once

#include <cstdint>
#include <string>

#include "ckpt_convert/execute/named_training.h"
#include "ckpt_convert/execute/output_plan.h"

namespace ckpt {

// One chunk for each tensor: whoever loads such a checkpoint cuts the tensors for its own ranks. `key`: under which the weights
// are saved ("model"); empty: under none. `max_file_bytes`: of one .distcp file. Settings that are neither numbers nor texts
// are `unsupported`.
Result<OutputPlan> dcp_output(const ConversionPlan& plan, const std::string& key, std::uint64_t max_file_bytes,
                              const NamedTraining* training = nullptr);

}  // namespace ckpt
