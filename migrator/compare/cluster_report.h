// ClusterReport: what is known of the ranks of a cluster, in the terminal and as JSON.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "base/language.h"
#include "migrator/profile/cluster.h"

namespace migrator {

std::string cluster_text(const base::Language& say, const Cluster& cluster);
// Keys of an object that is open.
void write_cluster(base::JsonWriter& out, const Cluster& cluster);

std::vector<std::string> names_of(const ExpertGroup& group);
// Not more than so many, those that wait longest beyond what their schedule costs; and what is said where there are more.
inline constexpr std::size_t kShownCharts = 32;
std::vector<const PipelineChart*> shown_charts(const Cluster& cluster);
std::string charts_note(const base::Language& say, const Cluster& cluster);
// Sentences of a pipeline, of experts and of a link, for the terminal and for the page.
std::string chart_line(const base::Language& say, const PipelineChart& chart);
std::string experts_line(const base::Language& say, const ExpertGroup& group);
// Why figures of experts are less than one would wish; empty: they are not.
std::string experts_note(const base::Language& say, const ExpertGroup& group);
std::string certainty_text(const base::Language& say, const SlowLink& link);

}  // namespace migrator
