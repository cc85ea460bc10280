// RankCalls: the transfers of one rank to others, as communication.json has them, and as much of its collectives as tells when they end.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "migrator/profile/pipeline_schedule.h"
#include "migrator/profile/profile_names.h"

namespace migrator {

// A transfer, in microseconds.
struct RankCall {
    std::string name, group;
    TransferKind transfer = TransferKind::exchange;
    double begin = 0, length = 0, moving = 0;

    double end() const { return begin + length; }
};

struct StepCalls {
    std::vector<RankCall> transfers;  // by their begin
    // When groups first communicate of which nothing was heard before the last transfer: gradients, after all passes.
    std::optional<double> exchange_after;
};
struct RankCalls {
    std::map<std::string, StepCalls> steps;
    double longest = 0, sum = 0;  // of transfers and collectives, in microseconds
};
RankCalls rank_calls(const base::JsonDocument& communication, const ProfileNames& names);

// A rank of a pipeline with its calls of one step.
struct StageCalls {
    std::string rank;
    StepCalls calls;
    std::optional<double> first_kernel;  // microseconds, as the clock of the calls
};

using GroupRanks = std::map<std::string, std::set<std::string>>;  // the ranks that use each group

}  // namespace migrator
