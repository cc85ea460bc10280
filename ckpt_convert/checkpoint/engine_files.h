// EngineFiles: the files of a DeepSpeed engine, for each rank of those that share the model: its tensor parallel ranks, and its stages.
//
//   mp_rank_MM_model_states.pt                       what rank MM of these has
//   zero_pp_rank_D_mp_rank_MM_model_states.pt        the same with ZeRO 3, for each data parallel rank
//   [bf16_]zero_pp_rank_D_mp_rank_MM_optim_states.pt the optimizer, for each data parallel rank
//   layer_L_expert_E_mp_rank_MM_model_states.pt      an expert; old ones have no layer
//   expp_rank_E_mp_rank_MM_optim_states.pt           the optimizer without ZeRO, for each rank that has experts of its own
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"

namespace ckpt {

struct EngineFiles {
    std::vector<std::string> models;      // one, or with ZeRO 3 by data parallel rank
    std::vector<std::string> optimizers;  // by data parallel rank
    std::vector<std::string> experts;     // by layer and expert
    bool has_expert_optimizer = false;    // expp_rank_*
};

// Whether it is one that each engine has: of the first three kinds.
bool is_engine_file(std::string_view file);

// By model parallel rank; none when there are no such files. Fails with bad_input when files of a rank are missing.
Result<std::vector<EngineFiles>> find_engine_files(base::FileSystem& fs, const Path& directory);

// Fails with bad_input when not all of the optimizer's files are there. `told`: how many ranks there were; 0: not told.
Status check_optimizer_files(const EngineFiles& files, std::uint64_t told, const Path& directory);

}  // namespace ckpt
