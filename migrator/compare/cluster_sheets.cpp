#include "migrator/compare/cluster_sheets.h"

#include "base/format.h"
#include "migrator/compare/cluster_report.h"

namespace migrator {
namespace {

Sheet steps_sheet(const Cluster& cluster) {
    Sheet out{
        "Steps",
        {"Rank", "Step", "Computing(us)", "Communication(Not Overlapped)(us)", "Free(us)", "Stage(us)", "Bubble(us)"},
        {}};
    for (const Rank& rank : cluster.ranks) {
        for (const RankStep& step : rank.steps)
            out.rows.push_back({text_cell(rank.name), text_cell(step.step), Cell(step.computing), Cell(step.uncovered),
                                Cell(step.free), Cell(step.stage), Cell(step.bubble)});
    }
    return out;
}

Sheet phases_sheet(const Cluster& cluster) {
    Sheet out{"PipelinePhases",
              {"Pipeline", "Step", "Rank", "Phase", "Part", "Micro-batch", "Begin(us)", "Duration(us)"},
              {}};
    for (const PipelineChart& chart : cluster.charts) {
        for (const PipelineStage& stage : chart.stages) {
            for (const StagePhase& phase : stage.phases)
                out.rows.push_back({text_cell(base::joined(chart.ranks, " ")), text_cell(chart.step),
                                    text_cell(stage.rank), text_cell(name_of(phase.kind)),
                                    text_cell(name_of(phase.part)),
                                    phase.micro_batch == 0 ? Cell() : count_cell(phase.micro_batch), Cell(phase.begin),
                                    Cell(phase.length())});
        }
    }
    return out;
}

std::string ranks_of(const ExpertGroup& group) { return base::joined(names_of(group), " "); }

Sheet experts_sheet(const Cluster& cluster) {
    Sheet out{"Experts", {"Group", "Rank", "Tokens", "Time(ms)", "Waits(ms)", "Tokens of Experts"}, {}};
    for (const ExpertGroup& group : cluster.experts) {
        for (const ExpertRank& rank : group.ranks)
            out.rows.push_back({text_cell(ranks_of(group)), text_cell(rank.name), Cell(rank.tokens), Cell(rank.ms),
                                rank.waits_ms ? Cell(*rank.waits_ms) : Cell(),
                                text_cell(base::joined(rank.experts, " "))});
    }
    return out;
}

Sheet passes_sheet(const Cluster& cluster) {
    Sheet out{"ExpertPasses", {"Group", "Step", "Pass", "Rank", "Tokens", "Time(us)", "Factor"}, {}};
    for (const ExpertGroup& group : cluster.experts) {
        for (const ExpertPass& pass : group.passes) {
            for (std::size_t i = 0; i < group.ranks.size(); ++i)
                out.rows.push_back({text_cell(ranks_of(group)), text_cell(pass.step), count_cell(pass.number),
                                    text_cell(group.ranks[i].name), Cell(pass.tokens[i]), Cell(pass.micros[i]),
                                    Cell(pass.factor)});
        }
    }
    return out;
}

Sheet links_sheet(const Cluster& cluster) {
    Sheet out{"SlowLinks",
              {"From", "To", "Transport", "Group", "Bandwidth(GB/s)", "Usual(GB/s)", "Usual of", "Measured", "Slow",
               "Certain"},
              {}};
    for (const SlowLink& link : cluster.links.links)
        out.rows.push_back({text_cell(link.from), text_cell(link.to), text_cell(link.transport), text_cell(link.group),
                            Cell(link.bandwidth), Cell(link.usual), text_cell(link.is_hardware ? "hardware" : "links"),
                            count_cell(link.measured), count_cell(link.slow), text_cell(link.is_sure ? "yes" : "no")});
    return out;
}

Sheet awaited_sheet(const Cluster& cluster) {
    Sheet out{"AwaitedRanks", {"Rank", "Collectives", "Judged"}, {}};
    for (const AwaitedRank& item : cluster.awaited)
        out.rows.push_back(
            {text_cell(item.rank), count_cell(item.collectives), count_cell(cluster.judged_collectives)});
    return out;
}

}  // namespace

std::vector<Sheet> cluster_sheets(const Cluster& cluster) {
    std::vector<Sheet> out{steps_sheet(cluster)};
    for (Sheet& sheet : std::vector<Sheet>{phases_sheet(cluster), experts_sheet(cluster), passes_sheet(cluster),
                                           links_sheet(cluster), awaited_sheet(cluster)})
        if (!sheet.rows.empty()) out.push_back(std::move(sheet));
    return out;
}

}  // namespace migrator
