// A checkpoint of safetensors in which each tensor-parallel rank has its share of the weights under the same names.
//
//   model-rank-R-part-P.safetensors   tensors of rank R; where they are cut the files do not say
#pragma once

#include <string_view>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

namespace ckpt {

bool is_rank_safetensors(std::string_view file);

// The tensors of a rank are "rank_R/NAME". Fails with bad_input when a rank, a part or a tensor of a rank is missing.
Result<ShardedCheckpoint> open_rank_safetensors(base::FileSystem& fs, const Path& directory);

// What the names of a rank's tensors begin with.
std::string rank_front(std::uint64_t rank);
// "NAME" of "rank_R/NAME".
std::string_view without_rank(std::string_view name);
// How many ranks the names speak of.
std::uint64_t ranks_in(const TensorIndex& index);

}  // namespace ckpt
