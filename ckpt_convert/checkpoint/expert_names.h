// Experts of DeepSpeed's layers, which a rank numbers from 0, and the model from the first rank's first.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/checkpoint/flat_runs.h"

namespace ckpt {

// "layer_3_expert_5_mp_rank_00_model_states.pt" when such files end with "mp_rank_00_model_states.pt"; old ones have no layer.
bool is_expert_file(std::string_view file, std::string_view ending);

// How many experts of each layer a rank has.
using ExpertCounts = std::map<std::string, std::uint64_t, std::less<>>;
ExpertCounts expert_counts(const std::vector<NamedShapes>& groups);

// The experts of rank number `rank` of those that share a model's, with the names that they have in it. Fails with bad_input for a
// parameter that is of no expert.
Result<NamedShapes> numbered_in_model(const NamedShapes& parameters, const ExpertCounts& counts, std::uint64_t rank,
                                      const Path& path);

}  // namespace ckpt
