#include "migrator/profile/cluster.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "base/format.h"
#include "base/json.h"
#include "migrator/profile/json_values.h"

namespace migrator {
namespace {

constexpr double kSlowLink = 0.8;  // of the median of its kind
constexpr double kMegabyteClasses[] = {1, 16, 256};

// "3" of profiler_info_3.json; else the name of the folder.
std::string rank_name(base::FileSystem& fs, const base::Path& folder) {
    constexpr std::string_view kBegin = "profiler_info_", kEnd = ".json";
    const auto entries = fs.list(folder);
    if (entries) {
        for (const base::DirectoryEntry& entry : *entries) {
            const std::string_view name = entry.name;
            if (name.starts_with(kBegin) && name.ends_with(kEnd))
                return std::string(name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
        }
    }
    return std::string(base::file_name(folder));
}

base::Result<std::vector<RankStep>> steps_of(const ProfileSource& source, const StepColumns& names) {
    TRY_ASSIGN(const auto table, source.table(ProfilePart::steps));
    if (!table) return base::fail(base::ErrorKind::bad_input, "it is not there", source.path_of(ProfilePart::steps));
    TableRows& rows = *table;
    const auto step = rows.column(names.step), computing = rows.column(names.computing),
               uncovered = rows.column(names.uncovered), free = rows.column(names.free),
               stage = rows.column(names.stage), bubble = rows.column(names.bubble);
    std::vector<RankStep> out;
    for (;;) {
        TRY_ASSIGN(const bool has_row, rows.next());
        if (!has_row) break;
        out.push_back({std::string(rows[step]), rows.number_or_zero(computing), rows.number_or_zero(uncovered),
                       rows.number_or_zero(free), rows.number_or_zero(stage), rows.number_or_zero(bubble)});
    }
    if (!rows.damage().empty())
        return base::fail(base::ErrorKind::bad_input, rows.damage(), source.path_of(ProfilePart::steps));
    return out;
}

// "7" of "hcom_allReduce__1_1_1@7"; where none is told, the whole name.
std::string group_of(const std::string& operation) { return operation.substr(operation.find('@') + 1); }

// The links of one rank, summed over steps and operators.
std::vector<Link> links_of(const base::JsonDocument& document) {
    std::map<std::tuple<std::string, std::string, std::string>, Link> links;
    for (const auto& [step, kinds] : members(&document.root)) {
        for (const auto& [kind, operators] : members(&kinds)) {
            for (const auto& [name, pairs] : members(&operators)) {
                const std::string group = group_of(name);
                for (const auto& [pair, said] : members(&pairs)) {
                    const std::size_t dash = pair.find('-');
                    const base::Json* transport = said.find("Transport Type");
                    if (dash == pair.npos || transport == nullptr || transport->string() == nullptr) continue;
                    Link& link = links[{group, pair, *transport->string()}];
                    link.group = group;
                    link.transport = *transport->string();
                    link.from = pair.substr(0, dash);
                    link.to = pair.substr(dash + 1);
                    link.megabytes += number_at(said, "Transit Size(MB)");
                    link.milliseconds += number_at(said, "Transit Time(ms)");
                }
            }
        }
    }
    std::vector<Link> out;
    for (auto& [key, link] : links) {
        if (link.from != link.to && link.milliseconds > 0 && link.megabytes > 0) out.push_back(std::move(link));
    }
    return out;
}

std::size_t size_class(const Link& link) {
    return static_cast<std::size_t>(std::ranges::upper_bound(kMegabyteClasses, link.megabytes) -
                                    std::begin(kMegabyteClasses));
}

// Links of one kind are those of one transport and group that move about as much.
std::vector<Link> slow_links(const std::vector<Link>& links) {
    std::map<std::tuple<std::string, std::string, std::size_t>, std::vector<double>> kinds;
    for (const Link& link : links) kinds[{link.transport, link.group, size_class(link)}].push_back(link.bandwidth());
    for (auto& [kind, bandwidths] : kinds) std::ranges::sort(bandwidths);
    std::vector<Link> out;
    for (const Link& link : links) {
        const auto& all = kinds.at({link.transport, link.group, size_class(link)});
        if (all.size() >= 3 && link.bandwidth() < kSlowLink * all[all.size() / 2]) out.push_back(link);
    }
    return out;
}

// Groups of ranks whose p2p operators share a communicator.
void add_pipeline_groups(const base::JsonDocument& document, const std::string& rank,
                         std::map<std::string, std::set<std::string>>& out) {
    for (const auto& [step, kinds] : members(&document.root)) {
        for (const auto& [name, times] : members(kinds.find("p2p"))) {
            const std::size_t at = name.find('@');
            if (at != name.npos) out[name.substr(at + 1)].insert(rank);
        }
    }
}

// A collective of one step, as all of its ranks saw it.
struct RankedCollective {
    double shortest_ms = std::numeric_limits<double>::infinity();
    double longest_rdma_ms = 0;
};
using RankedCollectives = std::map<std::pair<std::string, std::string>, RankedCollective>;

// One rank's times of the collectives of all steps; `rank`: its place.
void add_collectives(const base::JsonDocument& document, std::size_t rank, RankedCollectives& out, SlowRankVote& vote) {
    for (const auto& [step, kinds] : members(&document.root)) {
        for (const auto& [name, said] : members(kinds.find("collective"))) {
            const base::Json* times = said.find("Communication Time Info");
            if (name == "Total Op Info" || times == nullptr) continue;
            const double elapsed_ms = number_at(*times, "Elapse Time(ms)");
            vote.add(rank, step, group_of(name), name, elapsed_ms);
            const base::Json* links = said.find("Communication Bandwidth Info");
            const base::Json* rdma = links == nullptr ? nullptr : links->find("RDMA");
            if (rdma == nullptr) continue;
            RankedCollective& item = out[{step, name}];
            item.shortest_ms = std::min(item.shortest_ms, elapsed_ms);
            item.longest_rdma_ms = std::max(item.longest_rdma_ms, number_at(*rdma, "Transit Time(ms)"));
        }
    }
}

std::optional<double> longest_stall(const RankedCollectives& collectives) {
    std::optional<double> out;
    for (const auto& [name, item] : collectives)
        out = std::max(out.value_or(0), std::min(item.shortest_ms, item.longest_rdma_ms));
    return out;
}

// Groups that share a rank are one pipeline.
std::vector<std::vector<std::string>> joined_groups(const std::map<std::string, std::set<std::string>>& groups) {
    std::vector<std::set<std::string>> joined;
    for (const auto& [name, ranks] : groups) {
        std::set<std::string> all = ranks;
        std::erase_if(joined, [&](const std::set<std::string>& other) {
            const bool shares = std::ranges::any_of(other, [&](const std::string& rank) { return all.contains(rank); });
            if (shares) all.insert(other.begin(), other.end());
            return shares;
        });
        joined.push_back(std::move(all));
    }
    std::vector<std::vector<std::string>> out;
    for (const auto& ranks : joined) {
        if (ranks.size() > 1) out.emplace_back(ranks.begin(), ranks.end());
    }
    return out;
}

bool is_before(const Rank& a, const Rank& b) {
    const auto number = [](const std::string& text) {
        std::uint64_t out = ~std::uint64_t{0};
        std::from_chars(text.data(), text.data() + text.size(), out);
        return out;
    };
    return std::pair(number(a.name), a.name) < std::pair(number(b.name), b.name);
}

}  // namespace

RankStep Rank::sum() const {
    RankStep out;
    for (const RankStep& step : steps) {
        out.computing += step.computing;
        out.uncovered += step.uncovered;
        out.free += step.free;
        out.stage += step.stage;
        out.bubble += step.bubble;
    }
    return out;
}

base::Result<Cluster> read_cluster(base::FileSystem& fs, const std::vector<base::Path>& folders,
                                   const ProfileTables& tables, const ProfileQueries& queries,
                                   const OutlierTable& outliers) {
    Cluster out;
    SlowRankVote vote;
    std::vector<Link> links;
    std::map<std::string, std::set<std::string>> pipelines;
    RankedCollectives ranked;
    const auto note = [&](const base::Error& error) -> base::Status {
        if (error.kind != base::ErrorKind::bad_input) return tl::unexpected(error);
        out.damage.push_back({"A table cannot be read: {error}.", {{"error", error.text()}}});
        return {};
    };
    for (const base::Path& folder : folders) {
        TRY_ASSIGN(ProfileFiles files, find_profile(fs, folder, queries, false));
        Rank rank{rank_name(fs, folder), folder, {}};
        TRY_ASSIGN(const ProfileSource source,
                   ProfileSource::open(fs, std::move(files), tables, queries, ProfileNumbers::ours));
        auto steps = steps_of(source, tables.steps);
        if (!steps) TRY(note(steps.error()));
        else rank.steps = std::move(*steps);
        const auto matrix = source.document(ProfilePart::links),
                   collectives = source.document(ProfilePart::communication);
        if (!matrix) TRY(note(matrix.error()));
        else if (*matrix) {
            const std::vector<Link> found = links_of(**matrix);
            links.insert(links.end(), found.begin(), found.end());
        }
        if (!collectives) TRY(note(collectives.error()));
        else if (*collectives) {
            add_pipeline_groups(**collectives, rank.name, pipelines);
            add_collectives(**collectives, out.ranks.size(), ranked, vote);
        }
        out.ranks.push_back(std::move(rank));
    }
    if (std::ranges::all_of(out.ranks, [](const Rank& rank) { return rank.steps.empty(); }))
        return base::fail(base::ErrorKind::bad_input,
                          base::format("no rank has a table of its steps, {}", tables.files.steps));
    const SlowRankVote::Result votes = vote.result(outliers);
    out.judged_collectives = votes.collectives;
    for (const auto& [rank, collectives] : votes.against) out.awaited.push_back({out.ranks[rank].name, collectives});
    std::ranges::stable_sort(out.awaited, std::greater(), &AwaitedRank::collectives);
    std::ranges::sort(out.ranks, is_before);
    out.slow_links = slow_links(links);
    out.pipelines = joined_groups(pipelines);
    out.rdma_stall_ms = longest_stall(ranked);
    return out;
}

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
    if (sums.size() > 1 && whole > 0) {
        const double widest =
            std::max({spread(&RankStep::computing), spread(&RankStep::uncovered), spread(&RankStep::free)});
        out.numbers["rank_spread"] = widest / whole;
        out.numbers["slowest_rank_ms"] = widest / 1e3;
    }
    if (sums.size() > 1 && computing > 0) out.numbers["stage_imbalance"] = most_computing / computing;
    if (stage > 0) out.numbers["bubble_share"] = bubble / stage;
    if (cluster.rdma_stall_ms) out.numbers["rdma_stall_ms"] = *cluster.rdma_stall_ms;
    if (cluster.judged_collectives > 0)
        out.numbers["awaited_share"] = cluster.awaited.empty()
                                           ? 0
                                           : static_cast<double>(cluster.awaited.front().collectives) /
                                                 static_cast<double>(cluster.judged_collectives);
    out.numbers["slow_links"] = static_cast<double>(cluster.slow_links.size());
}

}  // namespace migrator
