#include "migrator/profile/cluster.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "base/format.h"
#include "base/human.h"
#include "base/json.h"
#include "base/number_text.h"
#include "migrator/profile/json_values.h"

namespace migrator {
namespace {

constexpr double kSlowRank = 0.05;  // of the mean time of a rank

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

// "7" of "hcom_allReduce__1_1_1@7"; where none is told, the whole name.
std::string group_of(const std::string& operation) { return operation.substr(operation.find('@') + 1); }

// A collective of one step, as all of its ranks saw it.
struct RankedCollective {
    double shortest_ms = std::numeric_limits<double>::infinity();
    double longest_rdma_ms = 0;
};
using RankedCollectives = std::map<std::pair<std::string, std::string>, RankedCollective>;

// One rank's times of the collectives of all steps; `rank`: its place.
void add_collectives(const base::JsonDocument& document, std::size_t rank,
                     const std::function<bool(const std::string&)>& is_wanted, RankedCollectives& out,
                     SlowRankVote& vote) {
    for (const auto& [step, kinds] : members(&document.root)) {
        if (!is_wanted(step)) continue;
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

std::uint64_t number_of(const std::string& rank) {
    return base::number_in<std::uint64_t>(rank).value_or(~std::uint64_t{0});
}
bool is_before(const std::string& a, const std::string& b) {
    return std::pair(number_of(a), a) < std::pair(number_of(b), b);
}

using RankNames = std::vector<std::string>;

// Groups that share a rank are one pipeline.
std::vector<RankNames> joined_groups(const std::vector<std::set<std::string>>& groups) {
    std::vector<std::set<std::string>> joined;
    for (const std::set<std::string>& ranks : groups) {
        std::set<std::string> all = ranks;
        std::erase_if(joined, [&](const std::set<std::string>& other) {
            const bool shares = std::ranges::any_of(other, [&](const std::string& rank) { return all.contains(rank); });
            if (shares) all.insert(other.begin(), other.end());
            return shares;
        });
        joined.push_back(std::move(all));
    }
    std::vector<RankNames> out;
    for (const auto& ranks : joined) {
        if (ranks.size() < 2) continue;
        out.emplace_back(ranks.begin(), ranks.end());
        std::ranges::sort(out.back(), is_before);
    }
    return out;
}

// What is read of a rank beside its steps.
struct RankParts {
    std::string name;
    RankCalls calls;
    RankKernels kernels;
};

class ClusterReader {
public:
    ClusterReader(base::FileSystem& fs, const ProfileKnowledge& knowledge, LinkRules links,
                  std::optional<std::uint64_t> step)
        : fs_(fs), knowledge_(knowledge), step_(step), links_(std::move(links)) {}

    base::Status add(const base::Path& folder) {
        TRY_ASSIGN(ProfileFiles files, find_profile(fs_, folder, knowledge_.queries, false));
        TRY_ASSIGN(const ProfileSource source,
                   ProfileSource::open(fs_, std::move(files), tables_, knowledge_.queries, ProfileNumbers::ours));
        Rank rank{rank_name(fs_, folder), folder, {}};
        RankParts parts{rank.name, {}, {}};
        auto steps = read_steps(source, tables_.steps);
        if (!steps) TRY(note(steps.error()));
        else rank.steps = std::move(*steps);
        const auto same = std::ranges::find(out_.ranks, rank.name, &Rank::name);
        if (same != out_.ranks.end()) {
            out_.damage.push_back(
                {"Two folders are of rank {rank}, {one} and {other}; the second one is left out: give the folder of "
                 "one run",
                 {{"rank", rank.name}, {"one", same->folder}, {"other", folder}}});
            return {};
        }
        const auto wanted = [this](const std::string& step) { return is_wanted(step); };
        TRY(read(source, ProfilePart::links,
                 [&](const base::JsonDocument& matrix) { links_.add(rank.name, matrix, wanted); }));
        TRY(read(source, ProfilePart::communication, [&](const base::JsonDocument& document) {
            parts.calls = rank_calls(document, names_);
            add_collectives(document, out_.ranks.size(), wanted, ranked_, vote_);
        }));
        TRY(read(source, ProfilePart::metadata,
                 [&](const base::JsonDocument& metadata) { groups_.add(metadata, names_); }));
        auto kernels = read_rank_kernels(source, tables_.kernels, names_);
        if (!kernels) TRY(note(kernels.error()));
        else parts.kernels = std::move(*kernels);
        if (!parts.kernels.damage.empty())
            TRY(note(base::fail(base::ErrorKind::bad_input, parts.kernels.damage, source.path_of(ProfilePart::kernels))
                         .value()));
        check_units(rank, parts.calls);
        keep_step(rank, parts);
        out_.ranks.push_back(std::move(rank));
        parts_.push_back(std::move(parts));
        return {};
    }

    base::Result<Cluster> take(const OutlierTable& outliers) {
        if (std::ranges::all_of(out_.ranks, [](const Rank& rank) { return rank.steps.empty(); })) {
            if (step_ && has_steps_)
                return base::fail(base::ErrorKind::usage, base::format("no rank has a step {}", *step_));
            std::string what =
                base::format("no rank has a table of its steps, {}, that can be read", tables_.files.steps);
            if (!out_.damage.empty()) what += ": " + out_.damage.front().text();
            return base::fail(base::ErrorKind::bad_input, what);
        }
        const SlowRankVote::Result votes = vote_.result(outliers);
        out_.judged_collectives = votes.collectives;
        for (const auto& [rank, collectives] : votes.against)
            out_.awaited.push_back({out_.ranks[rank].name, collectives});
        std::ranges::stable_sort(out_.awaited, std::greater(), &AwaitedRank::collectives);
        std::ranges::sort(out_.ranks, [](const Rank& a, const Rank& b) { return is_before(a.name, b.name); });
        std::ranges::sort(parts_, [](const RankParts& a, const RankParts& b) { return is_before(a.name, b.name); });
        CommonSteps common = keep_common_steps(out_.ranks);
        out_.has_common_steps = common.are_there;
        out_.damage.insert(out_.damage.end(), common.notes.begin(), common.notes.end());
        out_.links = links_.slow();
        out_.rdma_stall_ms = longest_stall(ranked_);
        find_pipelines();
        add_charts();
        add_experts();
        find_missing();
        if (out_.has_common_steps) find_slow_rank();
        return std::move(out_);
    }

private:
    // A table that is broken is damage.
    base::Status note(const base::Error& error) {
        if (error.kind != base::ErrorKind::bad_input) return tl::unexpected(error);
        out_.damage.push_back({"A table cannot be read: {error}", {{"error", error.text()}}});
        return {};
    }
    template <class Add>
    base::Status read(const ProfileSource& source, ProfilePart part, const Add& add) {
        const auto document = source.document(part);
        if (!document) return note(document.error());
        if (!*document) return {};
        if ((*document)->root.object() == nullptr)
            return note(
                base::fail(base::ErrorKind::bad_input, "it is not an object of steps", source.path_of(part)).value());
        add(**document);
        return {};
    }

    void check_units(const Rank& rank, const RankCalls& calls) {
        if (is_in_other_units(rank, calls.longest, calls.sum))
            out_.damage.push_back(
                {"The times of rank {rank} in {steps} do not go with those in {collectives}: one of them is not in "
                 "microseconds",
                 {{"rank", rank.name}, {"steps", tables_.files.steps}, {"collectives", tables_.files.communication}}});
    }

    bool is_wanted(const std::string& step) const { return !step_ || step_number(step) == std::to_string(*step_); }

    void keep_step(Rank& rank, RankParts& parts) {
        has_steps_ = has_steps_ || !rank.steps.empty();
        const auto is_other = [&](const std::string& step) { return !is_wanted(step); };
        std::erase_if(rank.steps, [&](const RankStep& step) { return is_other(step.step); });
        std::erase_if(parts.calls.steps, [&](const auto& step) { return is_other(step.first); });
        std::erase_if(parts.kernels.steps, [&](const auto& step) { return is_other(step.first); });
    }

    const RankParts* parts_of(const std::string& rank) const {
        const auto found = std::ranges::find(parts_, rank, &RankParts::name);
        return found == parts_.end() ? nullptr : &*found;
    }

    // As the metadata says, else the ranks that send to each other.
    void find_pipelines() {
        for (const RankParts& rank : parts_) {
            for (const auto& [step, calls] : rank.calls.steps)
                for (const RankCall& call : calls.transfers) users_[call.group].insert(rank.name);
        }
        for (const RankGroup& group : groups_.pipelines) {
            RankNames names;
            for (const std::uint64_t rank : group) names.push_back(std::to_string(rank));
            if (std::ranges::all_of(names, [&](const std::string& name) { return parts_of(name) != nullptr; }))
                out_.pipelines.push_back(std::move(names));
        }
        if (!groups_.pipelines.empty()) return;
        std::vector<std::set<std::string>> sending;
        std::set<std::string> seen;
        for (const RankParts& rank : parts_) {
            for (const auto& [step, calls] : rank.calls.steps)
                for (const RankCall& call : calls.transfers)
                    if (seen.insert(call.group).second) sending.push_back(users_[call.group]);
        }
        out_.pipelines = joined_groups(sending);
    }

    void add_charts() {
        for (const RankNames& pipeline : out_.pipelines) {
            for (const auto& [step, calls] : parts_of(pipeline.front())->calls.steps) {
                const std::string number = step_number(step);  // "step13" in one table is "13" in the other
                std::vector<StageCalls> stages;
                for (const std::string& name : pipeline) {
                    const RankParts* parts = parts_of(name);
                    const auto of_step = parts->calls.steps.find(step);
                    const auto kernels = parts->kernels.steps.find(number);
                    stages.push_back({name, of_step == parts->calls.steps.end() ? StepCalls() : of_step->second,
                                      kernels == parts->kernels.steps.end() ? std::nullopt : kernels->second.first_us});
                }
                PipelineChart chart = pipeline_chart(step, std::move(stages), users_);
                chart.ranks = pipeline;
                out_.charts.push_back(std::move(chart));
            }
        }
    }

    void add_experts() {
        std::vector<NamedKernels> ranks;
        for (RankParts& rank : parts_) ranks.push_back({rank.name, std::move(rank.kernels)});
        out_.experts = expert_load(ranks, groups_);
    }

    void find_missing() {
        std::set<std::uint64_t> there;
        for (const RankParts& rank : parts_) there.insert(number_of(rank.name));
        for (std::uint64_t rank = 0; rank < groups_.world; ++rank) {
            if (!there.contains(rank)) out_.missing_ranks.push_back(rank);
        }
        std::vector<std::string> names;
        for (const std::uint64_t rank : out_.missing_ranks) names.push_back(std::to_string(rank));
        if (!names.empty())
            out_.damage.push_back(
                {"Ranks of the run are not in this folder, so that the figures are those of the others: {ranks}",
                 {{"ranks", base::listed(std::move(names))}}});
    }

    // Ranks that do the same: those of one stage, where there are several pipelines; with one pipeline none is like another.
    std::vector<std::vector<const Rank*>> ranks_alike() const {
        std::map<std::size_t, std::vector<const Rank*>> out;
        if (out_.pipelines.size() == 1) return {};
        for (const Rank& rank : out_.ranks) {
            std::size_t stage = 0;
            for (const RankNames& pipeline : out_.pipelines) {
                const auto found = std::ranges::find(pipeline, rank.name);
                if (found != pipeline.end()) stage = 1 + static_cast<std::size_t>(found - pipeline.begin());
            }
            if (!rank.steps.empty()) out[stage].push_back(&rank);
        }
        std::vector<std::vector<const Rank*>> alike;
        for (auto& [stage, ranks] : out) alike.push_back(std::move(ranks));
        return alike;
    }

    void find_slow_rank() {
        for (const std::vector<const Rank*>& ranks : ranks_alike()) {
            if (ranks.size() < 2) continue;
            RankStep all;
            for (const Rank* rank : ranks) {
                const RankStep sum = rank->sum();
                all.computing += sum.computing;
                all.uncovered += sum.uncovered;
                all.free += sum.free;
            }
            const auto others = static_cast<double>(ranks.size() - 1);
            const double mean = all.whole() / static_cast<double>(ranks.size());
            for (const Rank* rank : ranks) {
                const RankStep sum = rank->sum();
                const double computing = sum.computing - (all.computing - sum.computing) / others;
                const double free = sum.free - (all.free - sum.free) / others;
                const double share = mean > 0 ? (computing + free) / mean : 0;
                if (share <= kSlowRank || (out_.slow_rank && share <= out_.slow_rank->share)) continue;
                out_.slow_rank = SlowRank{rank->name, free > computing, std::max(free, computing) / 1e3, share};
            }
        }
    }

    base::FileSystem& fs_;
    const ProfileKnowledge& knowledge_;
    const ProfileTables& tables_ = knowledge_.tables;
    const ProfileNames& names_ = knowledge_.names;
    const std::optional<std::uint64_t> step_;
    bool has_steps_ = false;
    RankLinks links_;
    Cluster out_;
    SlowRankVote vote_;
    RankedCollectives ranked_;
    RankGroups groups_;
    std::vector<RankParts> parts_;
    std::map<std::string, std::set<std::string>> users_;  // ranks that use each group
};

}  // namespace

base::Result<Cluster> read_cluster(base::FileSystem& fs, const base::DataStore& store,
                                   const ProfileKnowledge& knowledge, const std::vector<base::Path>& folders,
                                   std::optional<std::uint64_t> step) {
    TRY_ASSIGN(LinkRules links, base::read_rule_record<LinkRules>(store, "rules/profiles/links.json"));
    TRY_ASSIGN(const OutlierTable outliers,
               base::read_rule_record<OutlierTable>(store, "rules/profiles/outliers.json"));
    ClusterReader reader(fs, knowledge, std::move(links), step);
    for (const base::Path& folder : folders) TRY(reader.add(folder));
    return reader.take(outliers);
}

}  // namespace migrator
