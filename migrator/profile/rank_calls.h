// RankCalls: the transfers and collectives of one rank, as communication.json has them.
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

// A transfer between stages, or a collective, in microseconds.
struct RankCall {
    std::string name, group;
    std::optional<TransferKind> transfer;  // nothing: a collective
    double begin = 0, length = 0, moving = 0;

    double end() const { return begin + length; }
};

// What one rank says of communication, by step; sorted by time.
using RankCalls = std::map<std::string, std::vector<RankCall>>;
RankCalls rank_calls(const base::JsonDocument& communication, const ProfileNames& names);

// A rank of a pipeline with its calls of one step.
struct StageCalls {
    std::string rank;
    std::vector<RankCall> calls;
    std::optional<double> first_kernel;  // microseconds, as the clock of the calls
};

using GroupRanks = std::map<std::string, std::set<std::string>>;  // the ranks that use each group

std::vector<RankCall> transfers_of(const StageCalls& stage);

}  // namespace migrator
