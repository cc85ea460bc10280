#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "migrator/profile/cluster.h"

namespace migrator {
namespace {

std::string link_text(const SlowLink& link) {
    return base::format("{} > {} ({}, {:.2f} / {:.2f} GB/s)", link.from, link.to, link.transport, link.bandwidth,
                        link.usual);
}

void add_link_figures(const RankLinks::Result& links, ProfileFigures& out) {
    std::vector<std::string> sure, review, ports;
    for (const SlowLink& link : links.links) (link.is_sure ? sure : review).push_back(link_text(link));
    for (const SlowPort& port : links.ports) ports.push_back(base::format("{} ({})", port.rank, port.transport));
    const auto add = [&](const std::string& name, const std::vector<std::string>& texts) {
        if (links.judged > 0) out.numbers[name] = static_cast<double>(texts.size());
        out.texts[name + "_named"] = base::listed(texts);
    };
    add("slow_links", sure);
    add("review_links", review);
    add("slow_ports", ports);
}

// Of the chart in which stages wait longest beyond what its schedule costs.
void add_pipeline_figures(const std::vector<PipelineChart>& charts, ProfileFigures& out) {
    const PipelineChart* worst = nullptr;
    const auto excess = [](const PipelineChart& chart) { return chart.bubble() - chart.least_bubble(); };
    for (const PipelineChart& chart : charts) {
        if (chart.is_told() && (worst == nullptr || excess(chart) > excess(*worst))) worst = &chart;
    }
    if (worst == nullptr) return;
    out.numbers["bubble_share"] = worst->bubble();
    out.numbers["bubble_least"] = worst->least_bubble();
    out.numbers["bubble_excess"] = excess(*worst);
    out.numbers["micro_batches"] = static_cast<double>(worst->micro_batches);
    out.numbers["stage_imbalance"] = worst->imbalance();
    out.texts["slowest_stage"] = worst->slowest().rank;
}

void add_expert_figures(const std::vector<ExpertGroup>& groups, ProfileFigures& out) {
    const auto worst = std::ranges::max_element(groups, {}, &ExpertGroup::factor);
    if (worst == groups.end()) return;
    out.numbers["expert_factor"] = worst->factor;
    out.texts["expert_most"] = worst->most().name;
    out.texts["expert_least"] = worst->least().name;
}

}  // namespace

void add_figures(const Cluster& cluster, ProfileFigures& out) {
    std::vector<RankStep> sums;
    for (const Rank& rank : cluster.ranks) {
        if (!rank.steps.empty()) sums.push_back(rank.sum());
    }
    const auto number = static_cast<double>(sums.size());
    double whole = 0, computing = 0, bubble = 0, stage = 0, most_computing = 0;
    for (const RankStep& item : sums) {
        whole += item.whole() / number;
        computing += item.computing / number;
        bubble += item.bubble;
        stage += item.stage;
        most_computing = std::max(most_computing, item.computing);
    }
    const auto spread = [&](double RankStep::*part) {
        const auto [least, most] = std::ranges::minmax(sums, {}, part);
        return most.*part - least.*part;
    };
    if (cluster.has_common_steps && sums.size() > 1 && whole > 0) {
        const double widest =
            std::max({spread(&RankStep::computing), spread(&RankStep::uncovered), spread(&RankStep::free)});
        out.numbers["rank_spread"] = widest / whole;
        out.numbers["slowest_rank_ms"] = widest / 1e3;
    }
    if (cluster.has_common_steps && sums.size() > 1 && computing > 0)
        out.numbers["stage_imbalance"] = most_computing / computing;
    if (stage > 0) out.numbers["bubble_share"] = bubble / stage;
    if (cluster.rdma_stall_ms) out.numbers["rdma_stall_ms"] = *cluster.rdma_stall_ms;
    if (cluster.judged_collectives > 0)
        out.numbers["awaited_share"] = cluster.awaited.empty()
                                           ? 0
                                           : static_cast<double>(cluster.awaited.front().collectives) /
                                                 static_cast<double>(cluster.judged_collectives);
    add_link_figures(cluster.links, out);
    add_pipeline_figures(cluster.charts, out);
    add_expert_figures(cluster.experts, out);
    if (!cluster.slow_rank) return;
    const SlowRank& slow = *cluster.slow_rank;
    out.numbers[slow.is_host ? "slow_host_share" : "slow_device_share"] = slow.share;
    out.numbers["slow_rank_ms"] = slow.excess_ms;
    out.texts["slow_rank"] = slow.rank;
}

}  // namespace migrator
