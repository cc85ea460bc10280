#include "migrator/compare/profile_report.h"

#include <algorithm>

#include "base/format.h"
#include "base/in_json.h"
#include "migrator/compare/cluster_report.h"
#include "migrator/compare/cluster_sheets.h"
#include "migrator/compare/overall_sheet.h"
#include "migrator/compare/side_figures.h"
#include "migrator/profile/profile_knowledge.h"

namespace migrator {
namespace {

void write_advice(base::JsonWriter& out, const ProfileFigures& figures, const std::vector<Advice>& advice) {
    out.key("figures").begin_object();
    for (const auto& [name, value] : figures.numbers) out.key(name).number(value);
    for (const auto& [name, text] : figures.texts) out.key(name).string(text);
    out.end_object();
    out.key("advice").begin_array();
    for (const Advice& item : advice) {
        out.begin_object();
        out.key("rule").string(item.rule);
        out.key("says").string(item.says.text());
        out.key("remedy").string(item.remedy);
        base::InJson<std::vector<std::string>>::write(out.key("rules"), item.rules);
        out.end_object();
    }
    out.end_array();
}

std::string advice_text(const base::Language& say, const std::vector<Advice>& advice) {
    std::string out;
    for (const Advice& item : advice)
        out += say.show("{}: {}\n    {}\n", item.rule, say.said(item.says.text()), say.said(item.remedy));
    return out;
}

// What files lack that were read to their end is damage as well.
std::vector<std::string> damage_of(const ProfileSide& side) {
    std::vector<std::string> out = side.damage();
    const TraceRecords& trace = side.trace;
    if (trace.without_time > 0)
        out.push_back(
            base::format("{}: events without a time, or with one that is more than 25 hours from the first: {}",
                         side.source.trace_path(), trace.without_time));
    if (trace.negative_times > 0)
        out.push_back(
            base::format("{}: events that end before they begin: {}", side.source.trace_path(), trace.negative_times));
    if (side.kernels.without_time > 0)
        out.push_back(base::format("{}: kernels without a time: {}", side.source.path_of(ProfilePart::kernels),
                                   side.kernels.without_time));
    return out;
}

// The trace and the tables of one profile, as advice asks for them. Fails with bad_input where nothing in it took time.
base::Result<ProfileSide> read_closely(base::FileSystem& fs, const base::DataStore& store, const base::Path& path,
                                       std::optional<std::uint64_t> step) {
    SideRequest request;
    request.path = path;
    request.step = step;
    request.kept.operators = request.kept.runtime = true;
    TRY_ASSIGN(ProfileSide side, read_side(fs, store, request));
    if (side.metrics.whole <= 0 && side.kernels.rows.empty() && side.trace.device.empty())
        return base::fail(base::ErrorKind::bad_input, "nothing in it took any time on a device",
                          side.source.trace_path());
    return side;
}

// The rank that keeps the others waiting, or where none does the first one.
const Rank& rank_to_look_at(const Cluster& cluster) {
    std::string name;
    if (cluster.slow_rank) name = cluster.slow_rank->rank;
    else if (!cluster.awaited.empty()) name = cluster.awaited.front().rank;
    const auto found = std::ranges::find(cluster.ranks, name, &Rank::name);
    return found == cluster.ranks.end() ? cluster.ranks.front() : *found;
}

// Tables say which rank is slow; why, its own trace says, where it is there.
base::Status look_closely(base::FileSystem& fs, const base::DataStore& store, const AdviceFile& rules,
                          const ProfileQueries& queries, ProfileReport& out) {
    const Rank& rank = rank_to_look_at(*out.cluster);
    if (!find_profile(fs, rank.folder, queries)) return {};
    auto side = read_closely(fs, store, rank.folder, std::nullopt);
    if (!side && side.error().kind != base::ErrorKind::bad_input) return tl::unexpected(side.error());
    if (!side) {
        out.cluster->damage.push_back({"A trace cannot be read: {error}", {{"error", side.error().text()}}});
        return {};
    }
    for (const std::string& broken : damage_of(*side)) out.cluster->damage.push_back(broken);
    out.close = CloseLook{rank.name, {}, {}};
    TRY(add_side_figures(fs, store, *side, out.close->figures));
    out.close->advice = advice_for(out.close->figures, rules);
    return {};
}

std::string side_table(const base::Language& say, const SideMetrics& metrics) {
    const Sheet sheet = overall_sheet(metrics, metrics);
    std::string out = base::format("{:>12} {:>8}\n", say.text("milliseconds"), say.text("share"));
    for (const SheetRow& row : sheet.rows) {
        const std::string name = std::get<std::string>(row[0]);
        const std::size_t depth = name.find_first_not_of('\t');
        out += say.show(
            "{}\n", base::format("{:>12.3f} {:>7.2f}%  {}{}", std::get<double>(row[1]), 100 * std::get<double>(row[2]),
                                 std::string(2 * depth, ' '), say.text(name.substr(depth))));
    }
    for (const base::Message& note : metrics.notes) out += say.show("{}\n", say.said(note.text()));
    return out + "\n";
}

}  // namespace

std::vector<std::string> ProfileReport::damage() const {
    if (side) return damage_of(*side);
    std::vector<std::string> out;
    for (const base::Message& broken : cluster->damage) out.push_back(broken.text());
    return out;
}

std::string ProfileReport::text(const base::Language& say) const {
    std::string out = side ? side_table(say, side->metrics) : cluster_text(say, *cluster);
    out += advice_text(say, advice);
    if (advice.empty()) out += say.text("No advice: every figure is within its limit.") + "\n";
    if (close && !close->advice.empty())
        out += say.show("\nRank {}, looked at closely:\n", close->rank) + advice_text(say, close->advice);
    return out;
}

std::string ProfileReport::json() const {
    base::JsonWriter out;
    out.begin_object();
    out.key("path").string(path);
    if (side) write_metrics(out.key("metrics"), side->metrics);
    if (cluster) write_cluster(out, *cluster);
    write_advice(out, figures, advice);
    if (close) {
        out.key("close").begin_object();
        out.key("rank").string(close->rank);
        write_advice(out, close->figures, close->advice);
        out.end_object();
    }
    base::InJson<std::vector<std::string>>::write(out.key("damage"), damage());
    return std::move(out.end_object()).take() + "\n";
}

std::vector<Sheet> ProfileReport::sheets() const {
    std::vector<Sheet> out;
    if (side) {
        Sheet overall{"Overall", {"Part", "Duration(ms)", "Share"}, {}};
        for (const SheetRow& row : overall_sheet(side->metrics, side->metrics).rows)
            overall.rows.push_back({row[0], row[1], row[2]});
        out.push_back(std::move(overall));
    } else {
        out = cluster_sheets(*cluster);
    }
    Sheet given{"Advice", {"Rank", "Rule", "Says", "Remedy"}, {}};
    const auto add = [&](const std::string& rank, const std::vector<Advice>& all) {
        for (const Advice& item : all)
            given.rows.push_back(
                {text_cell(rank), text_cell(item.rule), text_cell(item.says.text()), text_cell(item.remedy)});
    };
    add({}, advice);
    if (close) add(close->rank, close->advice);
    out.push_back(std::move(given));
    return out;
}

base::Result<ProfileReport> report_profile(base::FileSystem& fs, const base::DataStore& store, const base::Path& path,
                                           std::optional<std::uint64_t> step) {
    ProfileReport out;
    out.path = path;
    TRY_ASSIGN(const AdviceFile rules, base::read_rule_record<AdviceFile>(store, "rules/profiles/advice.json"));
    std::vector<base::Path> folders;
    TRY_ASSIGN(const ProfileKnowledge knowledge, load_profile_knowledge(store, ProfileNumbers::ours));
    if (base::is_directory(fs, path)) {
        TRY_ASSIGN(folders, find_rank_folders(fs, path, knowledge.queries));
    }
    if (folders.size() > 1) {
        TRY_ASSIGN(out.cluster, read_cluster(fs, store, knowledge, folders, step));
        add_figures(*out.cluster, out.figures);
        TRY(look_closely(fs, store, rules, knowledge.queries, out));
    } else {
        TRY_ASSIGN(out.side, read_closely(fs, store, folders.size() == 1 ? folders.front() : path, step));
        TRY(add_side_figures(fs, store, *out.side, out.figures));
    }
    out.advice = advice_for(out.figures, rules);
    return out;
}

}  // namespace migrator
