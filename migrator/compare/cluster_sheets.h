// ClusterSheets: what is known of the ranks of a cluster, as tables for CSV files and workbooks.
#pragma once

#include <vector>

#include "migrator/compare/sheet.h"
#include "migrator/profile/cluster.h"

namespace migrator {

// Steps always; pipelines, experts, their passes, links and awaited ranks where something is known of them.
std::vector<Sheet> cluster_sheets(const Cluster& cluster);

}  // namespace migrator
