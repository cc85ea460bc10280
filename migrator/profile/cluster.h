// Cluster: the ranks of a run side by side, from the tables of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/message.h"
#include "migrator/profile/advice.h"
#include "migrator/profile/profile_source.h"
#include "migrator/profile/profile_tables.h"
#include "migrator/profile/slow_rank_vote.h"

namespace migrator {

// A step of a rank, in microseconds.
struct RankStep {
    std::string step;
    double computing = 0, uncovered = 0, free = 0, stage = 0, bubble = 0;

    double whole() const { return computing + uncovered + free; }
};

struct Rank {
    std::string name;  // its number, or the name of its folder where that is not told
    base::Path folder;
    std::vector<RankStep> steps;

    RankStep sum() const;
};

// A link between two ranks of one group.
struct Link {
    std::string group, transport, from, to;  // ranks by their number in the group
    double megabytes = 0, milliseconds = 0;

    double bandwidth() const { return milliseconds > 0 ? megabytes / milliseconds : 0; }
};

// A rank that came last to collectives, so that the others waited for it.
struct AwaitedRank {
    std::string rank;
    std::uint64_t collectives = 0;
};

struct Cluster {
    std::vector<Rank> ranks;               // by their number
    std::vector<AwaitedRank> awaited;      // most collectives first
    std::uint64_t judged_collectives = 0;  // those of which it can be told
    std::vector<Link> slow_links;
    std::vector<std::vector<std::string>> pipelines;  // ranks that send to each other
    std::vector<base::Message> damage;                // tables that cannot be read
    // Of the collectives that no rank left sooner, and that some rank spent in RDMA: the longest. Nothing: none tells.
    std::optional<double> rdma_stall_ms;
};

// `folders`: of one rank each. A table that is missing says nothing, one that is broken is damage. Fails with bad_input where no rank has a table of steps.
base::Result<Cluster> read_cluster(base::FileSystem& fs, const std::vector<base::Path>& folders,
                                   const ProfileTables& tables, const ProfileQueries& queries,
                                   const OutlierTable& outliers);

// What advice asks of ranks: spread, bubbles, imbalance, slow links, whom the others wait for.
void add_figures(const Cluster& cluster, ProfileFigures& out);

}  // namespace migrator
