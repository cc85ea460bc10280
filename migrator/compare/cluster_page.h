// ClusterPage: the sections of a page that show pipelines, experts and slow links of a cluster.
#pragma once

#include <string>

#include "base/language.h"
#include "migrator/profile/cluster.h"

namespace migrator {

// A lane for each stage with its forward and backward passes; empty where there are no pipelines.
std::string pipelines_markup(const Cluster& cluster, const base::Language& say);
std::string experts_markup(const Cluster& cluster, const base::Language& say);
std::string links_markup(const Cluster& cluster, const base::Language& say);

}  // namespace migrator
