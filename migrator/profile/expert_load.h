// ExpertLoad: how evenly tokens come to the ranks that share the experts of a model, and which ranks wait for which.
#pragma once

#include <string>
#include <vector>

#include "migrator/profile/rank_groups.h"
#include "migrator/profile/rank_kernels.h"

namespace migrator {

struct ExpertRank {
    std::string name;
    double tokens = 0;               // of all products of all steps
    double ms = 0;                   // that these take
    std::optional<double> waits_ms;  // for the rank with most tokens in each pass; nothing: passes are not told
    std::vector<double> experts;     // tokens of each of its experts; none: not told
    std::int64_t number = 0;         // of its experts; 0: not told
};

// Products that follow each other with the same tokens on every rank: those of one layer, forward or backward.
struct ExpertPass {
    std::string step;
    std::size_t number = 0;      // in the step, from 1 on
    std::vector<double> tokens;  // by rank
    std::vector<double> micros;  // that each rank takes
    double factor = 0;           // most over mean
};

struct ExpertGroup {
    std::vector<ExpertRank> ranks;
    std::vector<ExpertPass> passes;  // by the difference of tokens, most first
    std::size_t all_passes = 0;
    bool is_guessed = false;  // no file says which ranks share experts
    // The time of all experts over that of an even load: of each pass most over mean, or of the sums where passes are not told.
    double factor = 1;

    const ExpertRank& most() const;
    const ExpertRank& least() const;
};

struct NamedKernels {
    std::string name;
    RankKernels kernels;
};

// Groups of which two ranks or more are there; none where no rank has products of experts.
std::vector<ExpertGroup> expert_load(const std::vector<NamedKernels>& ranks, const RankGroups& groups);

}  // namespace migrator
