#include "migrator/compare/cluster_report.h"

#include <algorithm>
#include <functional>

#include "base/format.h"
#include "base/in_json.h"

namespace migrator {
namespace {

using base::Language;
using Names = base::InJson<std::vector<std::string>>;

std::string percent(double share) { return base::format("{:.1f} %", 100 * share); }

std::string rank_line(const Language& say, const std::string& rank, const std::string& step, const RankStep& times) {
    return say.show(
        "{}\n", base::format("{:>8} {:>8} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.3f}", rank, step, times.computing / 1e3,
                             times.uncovered / 1e3, times.free / 1e3, times.bubble / 1e3));
}

void write_steps(base::JsonWriter& out, const Cluster& cluster) {
    out.key("ranks").begin_array();
    for (const Rank& rank : cluster.ranks) {
        out.begin_object();
        out.key("rank").string(rank.name);
        out.key("folder").string(rank.folder);
        out.key("steps").begin_array();
        for (const RankStep& step : rank.steps) {
            out.begin_object();
            out.key("step").string(step.step);
            out.key("computing_us").number(step.computing);
            out.key("uncovered_us").number(step.uncovered);
            out.key("free_us").number(step.free);
            out.key("stage_us").number(step.stage);
            out.key("bubble_us").number(step.bubble);
            out.end_object();
        }
        out.end_array();
        out.end_object();
    }
    out.end_array();
}

void write_awaited(base::JsonWriter& out, const Cluster& cluster) {
    out.key("awaited").begin_object();
    out.key("judged_collectives").unsigned_integer(cluster.judged_collectives);
    out.key("ranks").begin_array();
    for (const AwaitedRank& item : cluster.awaited) {
        out.begin_object();
        out.key("rank").string(item.rank);
        out.key("collectives").unsigned_integer(item.collectives);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

void write_stage(base::JsonWriter& out, const PipelineStage& stage) {
    out.begin_object();
    out.key("rank").string(stage.rank);
    out.key("computing_us").number(stage.computing);
    out.key("waiting_us").number(stage.waiting);
    out.key("waits_us").begin_object();
    for (const PhasePart part : {PhasePart::warm_up, PhasePart::steady, PhasePart::cool_down})
        out.key(name_of(part)).number(stage.waits[static_cast<std::size_t>(part)]);
    out.end_object();
    out.key("divided").boolean(stage.is_divided);
    out.key("phases").begin_array();
    for (const StagePhase& phase : stage.phases) {
        out.begin_object();
        out.key("kind").string(name_of(phase.kind));
        if (phase.micro_batch > 0) out.key("micro_batch").unsigned_integer(phase.micro_batch);
        out.key("begin_us").number(phase.begin);
        out.key("duration_us").number(phase.length());
        out.key("part").string(name_of(phase.part));
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

void write_charts(base::JsonWriter& out, const Cluster& cluster) {
    out.key("pipelines").begin_array();
    for (const PipelineChart& chart : cluster.charts) {
        out.begin_object();
        out.key("step").string(chart.step);
        Names::write(out.key("ranks"), chart.ranks);
        if (!chart.is_told()) {
            out.key("reason").string(chart.reason.text());
            out.end_object();
            continue;
        }
        out.key("schedule").string(chart.schedule);
        out.key("micro_batches").unsigned_integer(chart.micro_batches);
        out.key("chunks").unsigned_integer(chart.chunks);
        out.key("length_us").number(chart.length);
        out.key("bubble_share").number(chart.bubble());
        out.key("least_bubble_share").number(chart.least_bubble());
        out.key("imbalance").number(chart.imbalance());
        if (chart.residual) out.key("clock_residual_us").number(*chart.residual);
        out.key("stages").begin_array();
        for (const PipelineStage& stage : chart.stages) write_stage(out, stage);
        out.end_array();
        out.end_object();
    }
    out.end_array();
}

void write_numbers(base::JsonWriter& out, const std::vector<double>& values) {
    out.begin_array();
    for (const double value : values) out.number(value);
    out.end_array();
}

void write_experts(base::JsonWriter& out, const Cluster& cluster) {
    out.key("experts").begin_array();
    for (const ExpertGroup& group : cluster.experts) {
        out.begin_object();
        out.key("factor").number(group.factor);
        out.key("guessed").boolean(group.is_guessed);
        out.key("ranks").begin_array();
        for (const ExpertRank& rank : group.ranks) {
            out.begin_object();
            out.key("rank").string(rank.name);
            out.key("tokens").number(rank.tokens);
            out.key("ms").number(rank.ms);
            if (rank.waits_ms) out.key("waits_ms").number(*rank.waits_ms);
            out.key("experts").unsigned_integer(static_cast<std::uint64_t>(rank.number));
            write_numbers(out.key("tokens_of_experts"), rank.experts);
            out.end_object();
        }
        out.end_array();
        out.key("all_passes").unsigned_integer(group.all_passes);
        out.key("passes").begin_array();
        for (const ExpertPass& pass : group.passes) {
            out.begin_object();
            out.key("step").string(pass.step);
            out.key("pass").unsigned_integer(pass.number);
            out.key("factor").number(pass.factor);
            write_numbers(out.key("tokens"), pass.tokens);
            out.end_object();
        }
        out.end_array();
        out.end_object();
    }
    out.end_array();
}

void write_links(base::JsonWriter& out, const Cluster& cluster) {
    out.key("slow_links").begin_array();
    for (const SlowLink& link : cluster.links.links) {
        out.begin_object();
        out.key("from").string(link.from);
        out.key("to").string(link.to);
        out.key("group").string(link.group);
        out.key("transport").string(link.transport);
        out.key("gb_s").number(link.bandwidth);
        out.key("usual_gb_s").number(link.usual);
        out.key("usual_of").string(link.is_hardware ? "hardware" : "links");
        out.key("measured").unsigned_integer(link.measured);
        out.key("slow").unsigned_integer(link.slow);
        out.key("certain").boolean(link.is_sure);
        out.end_object();
    }
    out.end_array();
    out.key("slow_ports").begin_array();
    for (const SlowPort& port : cluster.links.ports) {
        out.begin_object();
        out.key("rank").string(port.rank);
        out.key("transport").string(port.transport);
        out.key("links").unsigned_integer(port.links);
        out.end_object();
    }
    out.end_array();
}

}  // namespace

std::vector<std::string> names_of(const ExpertGroup& group) {
    std::vector<std::string> out;
    for (const ExpertRank& rank : group.ranks) out.push_back(rank.name);
    return out;
}

std::string chart_line(const Language& say, const PipelineChart& chart) {
    const std::string ranks = base::joined(chart.ranks, ", ");
    if (!chart.is_told())
        return say.show("Pipeline of ranks {}, {}: {}", ranks, chart.step, say.said(chart.reason.text()));
    return say.show(
        "Pipeline of ranks {}, {}: {} micro-batches, {}; its stages wait {} of the time, even ones {}; rank {} "
        "computes "
        "longest, {} times the mean",
        ranks, chart.step, chart.micro_batches, chart.schedule, percent(chart.bubble()), percent(chart.least_bubble()),
        chart.slowest().rank, base::format("{:.2f}", chart.imbalance()));
}

std::vector<const PipelineChart*> shown_charts(const Cluster& cluster) {
    std::vector<const PipelineChart*> out;
    for (const PipelineChart& chart : cluster.charts) out.push_back(&chart);
    if (out.size() <= kShownCharts) return out;
    std::ranges::stable_sort(out, std::greater(), [](const PipelineChart* chart) {
        return chart->is_told() ? chart->bubble() - chart->least_bubble() : 2;
    });
    out.resize(kShownCharts);
    return out;
}

std::string charts_note(const Language& say, const Cluster& cluster) {
    return say.show("{} pipelines and steps, of which these wait longest; profile.json has all of them",
                    cluster.charts.size());
}

std::string experts_line(const Language& say, const ExpertGroup& group) {
    double sum = 0;
    for (const ExpertRank& rank : group.ranks) sum += rank.tokens;
    return say.show(
        "Experts of ranks {}: {} times as long as with even tokens; rank {} has most, {} where the mean is {}; rank {} "
        "waits most, {} ms",
        base::joined(names_of(group), ", "), base::format("{:.2f}", group.factor), group.most().name,
        base::format("{:.0f}", group.most().tokens),
        base::format("{:.0f}", sum / static_cast<double>(group.ranks.size())), group.least().name,
        base::format("{:.3f}", group.least().waits_ms.value_or(group.most().ms - group.least().ms)));
}

std::string experts_note(const Language& say, const ExpertGroup& group) {
    if (group.all_passes == 0)
        return say.text(
            "The ranks have other numbers of products of experts, so that layers cannot be told: the figures are those "
            "of "
            "all products together.");
    if (group.is_guessed)
        return say.text(
            "No file says which ranks share experts: all that have products of experts are taken for one group.");
    return {};
}

std::string certainty_text(const Language& say, const SlowLink& link) {
    if (link.is_sure) return say.text("certain");
    return link.is_hardware ? say.text("to be looked at: below what the hardware gives")
                            : say.text("to be looked at: one measurement");
}

std::string cluster_text(const Language& say, const Cluster& cluster) {
    std::string out = base::format("{:>8} {:>8} {:>12} {:>12} {:>12} {:>12}\n", say.text("rank"), say.text("step"),
                                   say.text("computing"), say.text("uncovered"), say.text("free"), say.text("bubble"));
    for (const Rank& rank : cluster.ranks) {
        for (const RankStep& step : rank.steps) out += rank_line(say, rank.name, step.step, step);
    }
    for (const auto& pipeline : cluster.pipelines)
        out += say.show("One pipeline: ranks {}\n", base::joined(pipeline, ", "));
    for (const PipelineChart* chart : shown_charts(cluster)) out += say.show("{}\n", chart_line(say, *chart));
    if (cluster.charts.size() > kShownCharts) out += say.show("{}\n", charts_note(say, cluster));
    for (const ExpertGroup& group : cluster.experts) {
        out += say.show("{}\n", experts_line(say, group));
        const std::string note = experts_note(say, group);
        if (!note.empty()) out += say.show("{}\n", note);
    }
    for (const AwaitedRank& item : cluster.awaited)
        out += say.show("The others waited for rank {} in {} of {} collectives\n", item.rank, item.collectives,
                        cluster.judged_collectives);
    for (const SlowLink& link : cluster.links.links)
        out += say.show("Slow link: rank {} to rank {}, {}, {} GB/s in place of {}: {}\n", link.from, link.to,
                        link.transport, base::format("{:.2f}", link.bandwidth), base::format("{:.2f}", link.usual),
                        certainty_text(say, link));
    return out + "\n";
}

void write_cluster(base::JsonWriter& out, const Cluster& cluster) {
    write_steps(out, cluster);
    write_awaited(out, cluster);
    write_charts(out, cluster);
    write_experts(out, cluster);
    write_links(out, cluster);
    out.key("missing_ranks").begin_array();
    for (const std::uint64_t rank : cluster.missing_ranks) out.unsigned_integer(rank);
    out.end_array();
}

}  // namespace migrator
