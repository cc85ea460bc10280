// How the experts of a model are dealt out to the ranks of a pipeline stage.
#pragma once

#include <cstdint>
#include <vector>

#include "ckpt_convert/base_names.h"

namespace ckpt {

struct ExpertParallel {
    int ep = 1;                  // expert parallel size
    int etp = 0;                 // ranks that share an expert; 0: as many as TP
    bool tp_extends_ep = false;  // MindSpeed's moe-tp-extend-ep: TP x EP groups of whole experts

    bool operator==(const ExpertParallel&) const = default;
};

// What one file of a pipeline stage holds: mp_rank_TP[_PPP]_EEE.
struct StageRank {
    int tp = 0;
    int ep = 0;
    int etp = 0;  // which part of each of its experts

    bool operator==(const StageRank&) const = default;
};

// Experts, by their numbers in the model, and the part of each: part `index` of `parts`.
struct ExpertShare {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint64_t parts = 1;
    std::uint64_t index = 0;
};

// The fewest ranks that a pipeline stage can have: multiples of it are copies, for more data.
std::int64_t stage_size(int tp, const ExpertParallel& experts);

// Which optimizer states a file of a stage has: those of the first of the ranks that share the parameters.
struct StateOwner {
    bool dense = false;
    bool experts = false;
};
// In the order of stage_ranks(), which must succeed.
std::vector<StateOwner> state_owners(int tp, const ExpertParallel& experts);

// The files of a stage, by EP rank, then TP rank: the pairs of numbers that ranks of a Megatron run ask for, which are all of
// them unless the experts are split otherwise than the rest. Fails with unsupported when two ranks would share a file.
Result<std::vector<StageRank>> stage_ranks(int tp, const ExpertParallel& experts);

// Fails with usage when the experts cannot be dealt out evenly.
Result<ExpertShare> expert_share(std::uint32_t experts, int tp, const ExpertParallel& parallel, const StageRank& rank);

}  // namespace ckpt
