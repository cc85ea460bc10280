#include "migrator/compare/report_page.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/number_text.h"
#include "migrator/compare/cluster_page.h"
#include "migrator/compare/overall_sheet.h"
#include "migrator/compare/profile_page.h"
#include "migrator/compare/time_parts.h"

namespace migrator {
namespace {

using base::Language;

std::string advice_markup(const std::string& title, const std::vector<Advice>& advice, const Language& say) {
    if (advice.empty())
        return section_markup(title,
                              paragraph_markup(say.text("No advice: every figure is within its limit."), "says"));
    std::string out = "<ul class=\"advice\">\n";
    for (const Advice& item : advice)
        out += base::format("<li><code>{}</code> {}<p>{}</p></li>\n", page_text(item.rule),
                            page_text(say.said(item.says.text())), page_text(say.said(item.remedy)));
    return section_markup(title, out + "</ul>\n");
}

std::string notes_markup(const std::vector<base::Message>& notes, const std::vector<std::string>& damage,
                         const Language& say) {
    std::string out;
    for (const base::Message& note : notes) out += paragraph_markup(say.said(note.text()), "note");
    for (const std::string& broken : damage) out += paragraph_markup(say.said(broken), "note");
    return out;
}

std::string side_markup(const ProfileReport& report, const Language& say) {
    const Sheet overall = overall_sheet(report.side->metrics, report.side->metrics);
    return section_markup(say.text("Time"), stacked_bars(time_parts(overall), false, say) +
                                                notes_markup(report.side->metrics.notes, report.damage(), say)) +
           advice_markup(say.text("Advice"), report.advice, say) + overall_markup(overall, false, say);
}

// In milliseconds. A stage waits for others within its communication.
struct StepPiece {
    const char* css;
    const char* title;
    double time;
};
std::array<StepPiece, 4> pieces_of(const RankStep& step) {
    const double bubble = std::clamp(step.bubble, 0.0, std::max(step.uncovered, 0.0));
    return {{{"computing", "computing", step.computing / 1e3},
             {"communication", "communication", (step.uncovered - bubble) / 1e3},
             {"bubble", "bubble", bubble / 1e3},
             {"free", "free", step.free / 1e3}}};
}

double length_of(const Rank& rank) { return std::max(rank.sum().whole() / 1e3, 0.0); }

std::string lane_markup(const Rank& rank, double scale, const Language& say) {
    std::vector<BarPiece> pieces;
    double at = 0;
    for (const RankStep& step : rank.steps) {
        for (const StepPiece& piece : pieces_of(step)) {
            if (piece.time <= 0) continue;
            const std::string says =
                say.show("step {}: {}, {} ms", step.step, say.text(piece.title), base::format("{:.3f}", piece.time));
            pieces.push_back({piece.css, says, at, at + piece.time});
            at += piece.time;
        }
    }
    const RankStep sum = rank.sum();
    const std::string name = say.show("rank {}", rank.name);
    const std::string label =
        say.show("{}: {}, {} ms", name, say.text("bubble"), base::format("{:.3f}", sum.bubble / 1e3));
    return side_bar(name, bar_picture(pieces, scale, label), base::format("{:.3f} ms", length_of(rank)));
}

std::string key_of_lanes(const Language& say) {
    std::vector<KeyEntry> entries;
    for (const StepPiece& piece : pieces_of({})) entries.push_back({piece.css, say.text(piece.title)});
    return key_markup(entries);
}

// Ranks of one pipeline stand together, the others behind them.
std::string lanes_markup(const Cluster& cluster, const Language& say) {
    double scale = 0;
    for (const Rank& rank : cluster.ranks) scale = std::max(scale, length_of(rank));
    std::string out = key_of_lanes(say);
    std::vector<const Rank*> left;
    for (const Rank& rank : cluster.ranks) left.push_back(&rank);
    const auto add = [&](const std::string& title, const auto& is_wanted) {
        std::string lanes;
        std::erase_if(left, [&](const Rank* rank) {
            if (!is_wanted(rank->name)) return false;
            lanes += lane_markup(*rank, scale, say);
            return true;
        });
        if (!lanes.empty()) out += (title.empty() ? std::string() : "<h3>" + page_text(title) + "</h3>\n") + lanes;
    };
    for (const auto& pipeline : cluster.pipelines)
        add(say.show("One pipeline: ranks {}", base::joined(pipeline, ", ")),
            [&](const std::string& name) { return std::ranges::find(pipeline, name) != pipeline.end(); });
    add(cluster.pipelines.empty() ? std::string() : say.text("Other ranks"), [](const std::string&) { return true; });
    return section_markup(say.text("Steps of all ranks"), out + notes_markup(cluster.damage, {}, say));
}

std::string steps_markup(const Cluster& cluster, const Language& say) {
    PageTable table{say.text("Steps"), {{say.text("rank"), true}, {say.text("step"), true}}, {}, true, {}};
    for (const char* title : {"computing", "communication", "bubble", "free"})
        table.columns.push_back({say.text(title), true});
    const auto name_cell = [](const std::string& text) {
        const auto number = base::number_in<std::uint64_t>(text);
        return number ? number_cell_markup(static_cast<double>(*number), text) : text_cell_markup(text, "number");
    };
    for (const Rank& rank : cluster.ranks) {
        for (const RankStep& step : rank.steps) {
            std::vector<std::string> cells{name_cell(rank.name), name_cell(step.step)};
            for (const StepPiece& piece : pieces_of(step))
                cells.push_back(number_cell_markup(piece.time, base::format("{:.3f}", piece.time)));
            table.rows.push_back(std::move(cells));
        }
    }
    return table_markup(table);
}

std::string awaited_markup(const Cluster& cluster, const Language& say) {
    if (cluster.awaited.empty()) return {};
    PageTable table{say.text("Ranks that the others waited for"), {{say.text("rank"), false}}, {}, true, {}};
    table.columns.push_back({say.show("of {} collectives", cluster.judged_collectives), true});
    for (const AwaitedRank& item : cluster.awaited)
        table.rows.push_back({text_cell_markup(item.rank), number_cell_markup(static_cast<double>(item.collectives),
                                                                              std::to_string(item.collectives))});
    return table_markup(table);
}

}  // namespace

base::Result<std::string> profile_report_page(const ProfileReport& report, const base::DataStore& templates,
                                              const base::Language& say) {
    std::string content;
    if (report.side) content = side_markup(report, say);
    else
        content = lanes_markup(*report.cluster, say) + advice_markup(say.text("Advice"), report.advice, say) +
                  (report.close ? advice_markup(say.show("Rank {}, looked at closely", report.close->rank),
                                                report.close->advice, say)
                                : std::string()) +
                  pipelines_markup(*report.cluster, say) + experts_markup(*report.cluster, say) +
                  awaited_markup(*report.cluster, say) + links_markup(*report.cluster, say) +
                  steps_markup(*report.cluster, say);
    return profile_page(say.show("Profile {}", report.path), content, templates, say);
}

}  // namespace migrator
