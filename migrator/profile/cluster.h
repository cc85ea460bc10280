// Cluster: the ranks of a run side by side, from the tables of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/data_store.h"
#include "base/file_system.h"
#include "base/message.h"
#include "migrator/profile/advice.h"
#include "migrator/profile/expert_load.h"
#include "migrator/profile/pipeline_chart.h"
#include "migrator/profile/profile_knowledge.h"
#include "migrator/profile/profile_tables.h"
#include "migrator/profile/rank_links.h"
#include "migrator/profile/rank_steps.h"
#include "migrator/profile/slow_rank_vote.h"

namespace migrator {

// A rank that came last to collectives, so that the others waited for it.
struct AwaitedRank {
    std::string rank;
    std::uint64_t collectives = 0;
};

// The rank that keeps the others waiting by what it does itself: it computes longer, or its host leaves its device idle.
struct SlowRank {
    std::string rank;
    bool is_host = false;
    double excess_ms = 0;  // over the mean of the others that do the same
    double share = 0;      // of the mean time of a rank
};

struct Cluster {
    std::vector<Rank> ranks;               // by their number
    std::vector<AwaitedRank> awaited;      // most collectives first
    std::uint64_t judged_collectives = 0;  // those of which it can be told
    RankLinks::Result links;
    std::vector<std::vector<std::string>> pipelines;  // ranks that send to each other, by their stage
    std::vector<PipelineChart> charts;                // of pipelines all of whose ranks are there, by step
    std::vector<ExpertGroup> experts;
    std::optional<SlowRank> slow_rank;
    bool has_common_steps = true;
    std::vector<std::uint64_t> missing_ranks;  // that the run had, by its metadata
    std::vector<base::Message> damage;         // tables that cannot be read
    // Of the collectives that no rank left sooner, and that some rank spent in RDMA: the longest. Nothing: none tells.
    std::optional<double> rdma_stall_ms;
};

// `folders`: of one rank each. `step`: only this one. A table that is missing says nothing, one that is broken is damage, and so are ranks
// of the run that are not there. Fails with bad_input where no rank has a table of steps, with usage where none has this step.
base::Result<Cluster> read_cluster(base::FileSystem& fs, const base::DataStore& store,
                                   const ProfileKnowledge& knowledge, const std::vector<base::Path>& folders,
                                   std::optional<std::uint64_t> step);

// What advice asks of ranks: spread, bubbles, imbalance, slow links and ports, experts, whom the others wait for.
void add_figures(const Cluster& cluster, ProfileFigures& out);

}  // namespace migrator
