// The checksums that torch files carry: every zip record of a checkpoint is read and compared with its CRC-32.
#pragma once

#include <cstdint>
#include <functional>

#include "base/file_system.h"
#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

// Fails with bad_input, naming file and record, when one is wrong. Files without checksums (safetensors, records that
// PyTorch was told not to sum) are passed over. `directory`: of a torch_dist checkpoint, whose items are in .metadata.
base::Status verify_checksums(base::FileSystem& fs, const base::Path& directory, const TensorIndex& index, int threads,
                              const std::function<void(std::uint64_t bytes)>& progress);

}  // namespace ckpt
