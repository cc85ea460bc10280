#include "migrator/compare/profile_report.h"

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "base/in_json.h"
#include "base/json.h"
#include "migrator/compare/overall_sheet.h"
#include "migrator/profile/json_values.h"
#include "migrator/profile/per_text.h"
#include "migrator/profile/profile_knowledge.h"

namespace migrator {
namespace {

void add_runtime_figures(const ProfileSide& side, ProfileFigures& out) {
    const TraceRecords& trace = side.trace;
    if (trace.runtime.empty()) return;
    double compilations = 0, memory = 0, launches = 0, waits = 0;
    for (const auto& [number, totals] : trace.runtime) {
        const std::string name = lower_case(trace.texts[number]);
        if (side.names.compilations.is(name)) compilations += static_cast<double>(totals.count);
        if (side.names.memory_calls.is(name)) memory += milliseconds(totals.total);
    }
    std::vector<HostEvent> order(trace.runtime_order.begin(), trace.runtime_order.end());
    std::ranges::stable_sort(order, {}, [](const HostEvent& call) { return std::tuple(call.thread, call.begin); });
    PerText<bool> is_launch(trace.texts, [&](const std::string& name) { return side.names.kernel_launches.is(name); });
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (!is_launch[order[i].name]) continue;
        ++launches;
        const bool has_next = i + 1 < order.size() && order[i + 1].thread == order[i].thread;
        if (has_next && !is_launch[order[i + 1].name]) ++waits;
    }
    out.numbers["compilations"] = compilations;
    out.numbers["memory_calls_ms"] = memory;
    if (launches > 0) out.numbers["synchronised_launches"] = waits / launches;
}

void add_operator_figures(const ProfileSide& side, ProfileFigures& out) {
    Ticks longest = 0;
    double batch_norms = 0, reads = 0, steps = 0;
    struct NameUse {
        bool loads = false, normalises = false, reads = false, is_step = false;
    };
    const ProfileNames& names = side.names;
    PerText<NameUse> uses(side.trace.texts, [&](const std::string& name) {
        return NameUse{names.loader_operators.begins(name), names.batch_norm_operators.in(name),
                       names.host_reads.is(name), names.step_names.in(name)};
    });
    for (const HostEvent event : side.trace.host) {
        const NameUse& use = uses[event.name];
        if (use.loads) longest = std::max(longest, event.duration);
        batch_norms += use.normalises ? 1 : 0;
        reads += use.reads ? 1 : 0;
        steps += use.is_step ? 1 : 0;
    }
    out.numbers["loader_longest_ms"] = milliseconds(longest);
    out.numbers["batch_norm_calls"] = batch_norms;
    out.numbers["host_reads_per_step"] = reads / std::max(steps, 1.0);
}

void add_kernel_figures(const ProfileSide& side, ProfileFigures& out) {
    const KernelTable& kernels = side.kernels;
    if (!kernels.is_there) return;
    out.numbers["ai_cpu_longest_us"] = microseconds(kernels.on_ai_cpu.longest);
    out.numbers["ai_cpu_count"] = static_cast<double>(kernels.on_ai_cpu.calls);
    if (kernels.with_state > 0)
        out.numbers["dynamic_share"] = static_cast<double>(kernels.dynamic) / static_cast<double>(kernels.with_state);
}

void add_metric_figures(const SideMetrics& metrics, ProfileFigures& out) {
    if (metrics.whole > 0) {
        out.numbers["free_share"] = static_cast<double>(metrics.free()) / static_cast<double>(metrics.whole);
        out.numbers["uncovered_share"] = static_cast<double>(metrics.uncovered) / static_cast<double>(metrics.whole);
    }
    if (metrics.computing > 0 && !metrics.hides_kernels)
        out.numbers["format_share"] = static_cast<double>(metrics.split[ComputingPart::vector_format].time) /
                                      static_cast<double>(metrics.computing);
}

// Of the collectives that use a link, how many move less than is worth it.
void add_packet_figures(const base::JsonDocument& document, ProfileFigures& out) {
    struct Link {
        const char* name;
        const char* figure;
        double least;  // MB
        double small = 0, all = 0;
    } links[] = {{"SDMA", "small_sdma_share", 16}, {"RDMA", "small_rdma_share", 1}};
    for (const auto& [step, kinds] : members(&document.root)) {
        for (const auto& [name, said] : members(kinds.find("collective"))) {
            if (name == "Total Op Info") continue;
            for (Link& link : links) {
                const base::Json* bandwidths = said.find("Communication Bandwidth Info");
                const base::Json* of_link = bandwidths == nullptr ? nullptr : bandwidths->find(link.name);
                const double megabytes = of_link == nullptr ? 0 : number_at(*of_link, "Transit Size(MB)");
                link.all += megabytes > 0 ? 1 : 0;
                link.small += megabytes > 0 && megabytes < link.least ? 1 : 0;
            }
        }
    }
    for (const Link& link : links) {
        if (link.all > 0) out.numbers[link.figure] = link.small / link.all;
    }
}

void add_variables(const base::JsonDocument& document, ProfileFigures& out) {
    for (const auto& [name, value] : members(document.root.find("ENV_VARIABLES"))) {
        if (value.string() != nullptr) out.variables[name] = *value.string();
    }
}

// A file that is missing or broken says nothing.
template <class Add>
base::Status add_from(const ProfileSource& source, ProfilePart part, const Add& add) {
    const auto document = source.document(part);
    if (document && *document) add(**document);
    const bool is_broken = !document && document.error().kind == base::ErrorKind::bad_input;
    return document || is_broken ? base::Status() : tl::unexpected(document.error());
}

base::Status add_side_figures(const ProfileSide& side, ProfileFigures& out) {
    add_metric_figures(side.metrics, out);
    add_operator_figures(side, out);
    if (side.trace.kind == TraceKind::gpu) return {};
    add_kernel_figures(side, out);
    add_runtime_figures(side, out);
    out.numbers["unaligned_transfers"] = static_cast<double>(side.trace.unaligned_transfers);
    TRY(add_from(side.source, ProfilePart::communication,
                 [&](const base::JsonDocument& document) { add_packet_figures(document, out); }));
    return add_from(side.source, ProfilePart::metadata,
                    [&](const base::JsonDocument& document) { add_variables(document, out); });
}

void write_cluster(base::JsonWriter& out, const Cluster& cluster) {
    out.begin_array();
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
    out.begin_object();
    out.key("judged_collectives").unsigned_integer(cluster.judged_collectives);
    out.key("ranks").begin_array();
    for (const AwaitedRank& item : cluster.awaited)
        out.begin_object()
            .key("rank")
            .string(item.rank)
            .key("collectives")
            .unsigned_integer(item.collectives)
            .end_object();
    out.end_array();
    out.end_object();
}

std::string rank_line(const base::Language& say, const std::string& rank, const std::string& step,
                      const RankStep& times) {
    return say.show(
        "{}\n", base::format("{:>8} {:>8} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.3f}", rank, step, times.computing / 1e3,
                             times.uncovered / 1e3, times.free / 1e3, times.bubble / 1e3));
}

std::string cluster_text(const base::Language& say, const Cluster& cluster) {
    std::string out = base::format("{:>8} {:>8} {:>12} {:>12} {:>12} {:>12}\n", say.text("rank"), say.text("step"),
                                   say.text("computing"), say.text("uncovered"), say.text("free"), say.text("bubble"));
    for (const Rank& rank : cluster.ranks) {
        for (const RankStep& step : rank.steps) out += rank_line(say, rank.name, step.step, step);
    }
    for (const auto& pipeline : cluster.pipelines)
        out += say.show("One pipeline: ranks {}\n", base::joined(pipeline, ", "));
    for (const AwaitedRank& item : cluster.awaited)
        out += say.show("The others waited for rank {} in {} of {} collectives\n", item.rank, item.collectives,
                        cluster.judged_collectives);
    for (const Link& link : cluster.slow_links)
        out += say.show("Slow link: {} to {} of group {}, {}, {} GB/s\n", link.from, link.to, link.group,
                        link.transport, base::format("{:.2f}", link.bandwidth()));
    return out + "\n";
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
    if (side) return side->damage();
    std::vector<std::string> out;
    for (const base::Message& broken : cluster->damage) out.push_back(broken.text());
    return out;
}

std::string ProfileReport::text(const base::Language& say) const {
    std::string out = side ? side_table(say, side->metrics) : cluster_text(say, *cluster);
    for (const Advice& item : advice)
        out += say.show("{}: {}\n    {}\n", item.rule, say.said(item.says.text()), say.said(item.remedy));
    if (advice.empty()) out += say.text("No advice: every figure is within its limit.") + "\n";
    return out;
}

std::string ProfileReport::json() const {
    base::JsonWriter out;
    out.begin_object();
    out.key("path").string(path);
    if (side) write_metrics(out.key("metrics"), side->metrics);
    if (cluster) {
        write_cluster(out.key("ranks"), *cluster);
        write_awaited(out.key("awaited"), *cluster);
    }
    out.key("figures").begin_object();
    for (const auto& [name, value] : figures.numbers) out.key(name).number(value);
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
    base::InJson<std::vector<std::string>>::write(out.key("damage"), damage());
    return std::move(out.end_object()).take() + "\n";
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
        TRY_ASSIGN(const OutlierTable outliers,
                   base::read_rule_record<OutlierTable>(store, "rules/profiles/outliers.json"));
        TRY_ASSIGN(out.cluster, read_cluster(fs, folders, knowledge.tables, knowledge.queries, outliers));
        add_figures(*out.cluster, out.figures);
    } else {
        SideRequest request;
        request.path = folders.size() == 1 ? folders.front() : path;
        request.step = step;
        request.kept.operators = request.kept.runtime = true;
        TRY_ASSIGN(out.side, read_side(fs, store, request));
        TRY(add_side_figures(*out.side, out.figures));
    }
    out.advice = advice_for(out.figures, rules);
    return out;
}

}  // namespace migrator
