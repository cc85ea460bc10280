#include "migrator/compare/cluster_page.h"

#include "base/format.h"
#include "migrator/compare/cluster_report.h"
#include "migrator/compare/profile_page.h"

namespace migrator {
namespace {

using base::Language;

constexpr double kMostPieces = 2000;  // of a lane: what is narrower goes to its neighbour

const char* title_of(PhaseKind kind) {
    switch (kind) {
        case PhaseKind::forward: return "forward pass";
        case PhaseKind::backward: return "backward pass";
        case PhaseKind::both: return "forward and backward pass, not told apart";
        case PhaseKind::transfer: return "transfer between stages";
        case PhaseKind::wait: break;
    }
    return "waits in the steady part";
}
const char* title_of(const StagePhase& phase) {
    if (phase.kind != PhaseKind::wait || phase.part == PhasePart::steady) return title_of(phase.kind);
    return phase.part == PhasePart::warm_up ? "waits in the warm-up" : "waits in the cool-down";
}

// What a stage waits before its first backward pass and after its last forward pass belongs to every schedule.
std::string css_of(PhaseKind kind, PhasePart part) {
    const bool is_of_ends = kind == PhaseKind::wait && part != PhasePart::steady;
    return base::format("phase-{}{}", name_of(kind), is_of_ends ? "-ends" : "");
}

std::string stage_markup(const PipelineStage& stage, const PipelineChart& chart, const Language& say) {
    std::vector<BarPiece> pieces;
    for (const StagePhase& phase : stage.phases) {
        if (!pieces.empty() && phase.length() * kMostPieces < chart.length) {
            pieces.back().to = phase.end;
            continue;
        }
        const std::string kind = say.text(title_of(phase)), time = base::format("{:.3f}", phase.length() / 1e3);
        const std::string says = phase.micro_batch == 0
                                     ? say.show("{}, {} ms", kind, time)
                                     : say.show("micro-batch {}: {}, {} ms", phase.micro_batch, kind, time);
        pieces.push_back({css_of(phase.kind, phase.part), says, phase.begin, phase.end});
    }
    const std::string name = say.show("rank {}", stage.rank);
    const std::string waits = base::format("{:.1f} %", chart.length > 0 ? 100 * stage.waiting / chart.length : 0);
    return side_bar(name, bar_picture(pieces, chart.length, say.show("{}: waits {} of the time", name, waits)),
                    say.show("waits {}", waits));
}

std::string chart_notes(const PipelineChart& chart, const Language& say) {
    std::string out;
    for (const PipelineStage& stage : chart.stages) {
        if (!stage.is_divided) continue;
        out += paragraph_markup(
            say.show("Rank {} has no transfer between a backward pass and the forward pass after it: where one ends is "
                     "worked out from the passes that stand alone.",
                     stage.rank),
            "note");
    }
    if (chart.residual)
        out +=
            paragraph_markup(say.show("The clocks of the ranks are aligned by the ends of their transfers, to {} us.",
                                      base::format("{:.1f}", *chart.residual)),
                             "note");
    return out;
}

}  // namespace

std::string pipelines_markup(const Cluster& cluster, const Language& say) {
    if (cluster.charts.empty()) return {};
    std::vector<KeyEntry> key;
    for (const PhaseKind kind :
         {PhaseKind::forward, PhaseKind::backward, PhaseKind::both, PhaseKind::transfer, PhaseKind::wait})
        key.push_back({css_of(kind, PhasePart::steady), say.text(title_of(kind))});
    key.push_back({css_of(PhaseKind::wait, PhasePart::warm_up), say.text("waits in the warm-up and cool-down")});
    std::string out = key_markup(key);
    if (cluster.charts.size() > kShownCharts) out += paragraph_markup(charts_note(say, cluster), "note");
    for (const PipelineChart* chart : shown_charts(cluster)) {
        out += paragraph_markup(chart_line(say, *chart), "says");
        if (!chart->is_told()) continue;
        out += "<div class=\"pipeline\">\n";
        for (const PipelineStage& stage : chart->stages) out += stage_markup(stage, *chart, say);
        out += "</div>\n" + chart_notes(*chart, say);
    }
    return section_markup(say.text("Micro-batches in pipelines"), out);
}

std::string experts_markup(const Cluster& cluster, const Language& say) {
    std::string out;
    for (const ExpertGroup& group : cluster.experts) {
        std::string lines = paragraph_markup(experts_line(say, group), "says");
        if (const std::string note = experts_note(say, group); !note.empty()) lines += paragraph_markup(note, "note");
        const double most = group.most().tokens;
        for (const ExpertRank& rank : group.ranks) {
            std::vector<BarPiece> pieces;
            double at = 0;
            for (std::size_t i = 0; i < rank.experts.size(); ++i) {
                const std::string says =
                    say.show("expert {}: {} tokens", i + 1, base::format("{:.0f}", rank.experts[i]));
                pieces.push_back({base::format("p{}", i % 16), says, at, at + rank.experts[i]});
                at += rank.experts[i];
            }
            const std::string tokens = say.show("{} tokens", base::format("{:.0f}", rank.tokens));
            if (pieces.empty()) pieces.push_back({"computing", tokens, 0, rank.tokens});
            lines += side_bar(say.show("rank {}", rank.name), bar_picture(pieces, most, tokens), tokens);
        }
        out += section_markup(say.text("Tokens of experts"), lines);
        if (group.passes.empty()) continue;
        // Each table has a name of its own, as several groups have one.
        PageTable table{
            say.show("Least even passes through the experts of ranks {}", base::joined(names_of(group), ", ")),
            {},
            {},
            true,
            {}};
        for (const char* title : {"step", "pass"}) table.columns.push_back({say.text(title), true});
        for (const ExpertRank& rank : group.ranks) table.columns.push_back({say.show("rank {}", rank.name), true});
        table.columns.push_back({say.text("most over mean"), true});
        for (const ExpertPass& pass : group.passes) {
            std::vector<std::string> cells{
                text_cell_markup(pass.step, "number"),
                number_cell_markup(static_cast<double>(pass.number), std::to_string(pass.number))};
            for (const double tokens : pass.tokens)
                cells.push_back(number_cell_markup(tokens, base::format("{:.0f}", tokens)));
            cells.push_back(number_cell_markup(pass.factor, base::format("{:.2f}", pass.factor)));
            table.rows.push_back(std::move(cells));
        }
        out += table_markup(table);
    }
    return out;
}

std::string links_markup(const Cluster& cluster, const Language& say) {
    if (cluster.links.links.empty()) return {};
    PageTable table{say.text("Slow links"), {}, {}, true, {}};
    for (const char* title : {"from", "to", "transport"}) table.columns.push_back({say.text(title), false});
    table.columns.push_back({"GB/s", true});
    table.columns.push_back({say.text("in place of GB/s"), true});
    table.columns.push_back({say.text("certainty"), false});
    for (const SlowLink& link : cluster.links.links)
        table.rows.push_back({text_cell_markup(link.from), text_cell_markup(link.to), text_cell_markup(link.transport),
                              number_cell_markup(link.bandwidth, base::format("{:.2f}", link.bandwidth)),
                              number_cell_markup(link.usual, base::format("{:.2f}", link.usual)),
                              text_cell_markup(certainty_text(say, link))});
    return table_markup(table);
}

}  // namespace migrator
