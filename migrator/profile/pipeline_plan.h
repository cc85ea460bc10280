// PipelinePlan: what each stage of a pipeline computes between its transfers, before it is known how long.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "migrator/profile/rank_calls.h"

namespace migrator {

// Transfers that a stage waits for together.
struct TransferRound {
    double begin = 0, end = 0, moving = 0;
    std::size_t first = 0, count = 0;
};

// What a stage does, before it is known how long: work of each segment between rounds, and the rounds.
struct StagePlan {
    std::vector<TransferRound> rounds;
    std::vector<std::vector<StageWork>> work;  // one more than rounds
};

struct PipelinePlan {
    std::string schedule;
    std::uint64_t micro_batches = 0, chunks = 1;  // chunks: of the model on each stage
    std::vector<StagePlan> stages;
};

// nullopt: the transfers are those of no schedule that is known, and do not tell which way each goes.
std::optional<PipelinePlan> pipeline_plan(const std::vector<StageCalls>& stages, const GroupRanks& groups);

}  // namespace migrator
