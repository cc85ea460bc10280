// RankGroups: which ranks of a run share a pipeline or their experts, as profiler_metadata.json says.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "migrator/profile/profile_names.h"

namespace migrator {

using RankGroup = std::vector<std::uint64_t>;  // global ranks, in the order of the group

struct RankGroups {
    std::set<RankGroup> pipelines, experts;  // of several ranks each
    std::uint64_t world = 0;                 // 0: not told

    // What one rank says: its groups by name, and the sizes that the run was started with.
    void add(const base::JsonDocument& metadata, const ProfileNames& names);
};

}  // namespace migrator
