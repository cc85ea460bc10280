// The files of a torch_dist checkpoint, laid out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt_convert/execute/megatron_output.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_writer.h"

namespace ckpt {

// Layers that are all alike share one name with a leading axis of all layers, one chunk each, as Megatron asks for such
// models, unless the state says that they are apart. `max_file_bytes`: of one .distcp file.
Result<OutputPlan> torch_dist_output(const ConversionPlan& plan, const ParallelLayout& layout,
                                     const CheckpointState& state, std::uint64_t max_file_bytes);

// The files that were planned, below a directory of the output; "": in the output itself.
OutputPlan output_of(std::vector<TorchDistFile> files, const std::string& directory);

}  // namespace ckpt
