// What one DeepSpeed engine has: of those that share a model, a tensor parallel rank with all its data parallel ones.
#pragma once

#include <vector>

#include "ckpt_convert/checkpoint/engine_files.h"
#include "ckpt_convert/checkpoint/zero_files.h"

namespace ckpt {

// `model`: the first file of the model. The numbers of files in the content are those of `files`, whose list the caller owns.
Result<ShardedCheckpoint> read_zero_engine(base::FileSystem& fs, ZeroFiles& files, const EngineFiles& engine,
                                           OpenedFile model, const Path& directory);

// Instead of what the optimizer has with these weights; without moments.
Result<ShardedCheckpoint> read_zero_module(base::FileSystem& fs, ZeroFiles& files, const EngineFiles& engine,
                                           OpenedFile model, std::vector<TorchDistTensor> weights,
                                           const Path& directory);

}  // namespace ckpt
