#include "migrator/compare/side_figures.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/format.h"
#include "migrator/compare/faster_forms.h"
#include "migrator/compare/operator_tree.h"
#include "migrator/profile/json_values.h"
#include "migrator/profile/kernel_units.h"
#include "migrator/profile/per_text.h"

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

// How far the clock of AI cores is below its highest while something computes, on average over time.
void add_frequency(const ProfileSide& side, const DeviceInfo& device, ProfileFigures& out) {
    std::vector<CounterSample> samples(side.trace.frequencies.begin(), side.trace.frequencies.end());
    if (samples.empty()) return;
    std::ranges::stable_sort(samples, {}, &CounterSample::at);
    double highest = device.megahertz, loss = 0, computing = 0;
    if (highest <= 0) highest = static_cast<double>(std::ranges::max(samples, {}, &CounterSample::value).value);
    PerText<bool> is_computing(side.trace.texts,
                               [&](const std::string& name) { return side.names.computing_intervals.is(name); });
    std::vector<Interval> intervals;
    for (const DeviceEvent event : side.trace.overlap) {
        if (is_computing[event.name]) intervals.push_back({event.begin, event.end()});
    }
    std::size_t first = 0;
    for (const Interval& interval : merged(std::move(intervals))) {
        while (first + 1 < samples.size() && samples[first + 1].at <= interval.begin) ++first;
        for (std::size_t i = first; i < samples.size() && samples[i].at < interval.end; ++i) {
            const Ticks begin = std::max(samples[i].at, interval.begin);
            const Ticks end = i + 1 < samples.size() ? std::min(samples[i + 1].at, interval.end) : interval.end;
            if (end <= begin) continue;
            computing += microseconds(end - begin);
            loss +=
                microseconds(end - begin) * std::max(0.0, highest - static_cast<double>(samples[i].value)) / highest;
        }
    }
    if (computing > 0) out.numbers["frequency_loss"] = loss / computing;
}

// Garbage that Python collects, and where the profile does not record that: long times without any call to the device.
void add_collections(const ProfileSide& side, ProfileFigures& out) {
    constexpr Ticks kLongFree = 200'000 * kTicksPerMicrosecond;
    constexpr double kMostBusy = 0.01, kMostCallsPerUs = 1e-4;
    const TraceRecords& trace = side.trace;
    Ticks longest = 0;
    for (const TimedCall call : trace.collections) longest = std::max(longest, call.duration);
    out.numbers["collection_longest_ms"] = milliseconds(longest);
    out.numbers["collections"] = static_cast<double>(trace.collections.size());
    if (!trace.collections.empty() || trace.runtime_calls.empty()) return;
    std::vector<TimedCall> calls(trace.runtime_calls.begin(), trace.runtime_calls.end());
    std::ranges::stable_sort(calls, {}, &TimedCall::begin);
    PerText<bool> is_free(trace.texts, [&](const std::string& name) { return side.names.free_intervals.is(name); });
    Ticks quiet = 0;
    for (const DeviceEvent event : trace.overlap) {
        if (!is_free[event.name] || event.duration <= kLongFree) continue;
        auto call = std::ranges::lower_bound(calls, event.begin, {}, &TimedCall::begin);
        double busy = 0, number = 0;
        for (; call != calls.end() && call->begin < event.end(); ++call, ++number) busy += microseconds(call->duration);
        const double us = microseconds(event.duration);
        if (busy < kMostBusy * us && number < kMostCallsPerUs * us) quiet = std::max(quiet, event.duration);
    }
    out.numbers["quiet_ms"] = milliseconds(quiet);
}

// Operators that follow each other and have a faster form: those that stand on no other, and those within one.
void add_faster_forms(const ProfileSide& side, const FasterForms& forms, ProfileFigures& out) {
    if (side.trace.host.empty()) return;
    const OperatorTree tree(side, ProfileNumbers::ours);
    std::map<std::pair<std::uint32_t, TextNumber>, std::vector<std::string_view>> rows;  // by parent and thread
    for (const std::uint32_t node : tree.top())
        rows[{OperatorNode::kNone, tree.get<&HostEvent::thread>(node)}].push_back(tree.name(node));
    for (std::uint32_t node = 0; node < tree.nodes().size(); ++node) {
        if (tree.is_step(node) || !tree.has_children(node)) continue;
        tree.each_child(node, [&](std::uint32_t child) { rows[{node, kNoText}].push_back(tree.name(child)); });
    }
    double places = 0;
    std::set<std::string> rules;
    for (const auto& [parent, names] : rows) {
        for (std::size_t first = 0; first < names.size();) {
            std::size_t longest = 0;
            for (const FasterForm& form : forms.forms) {
                const std::size_t length = form.length_in(names, first);
                if (length <= longest) continue;
                longest = length;
                rules.insert(form.rules.begin(), form.rules.end());
            }
            places += longest > 0 ? 1 : 0;
            first += std::max<std::size_t>(longest, 1);
        }
    }
    out.numbers["faster_forms"] = places;
    out.texts["faster_rules"] = base::joined(rules, ", ");
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

// Transfers that are slower than the links are, while matrices are multiplied.
void add_contention(const base::JsonDocument& document, const ProfileSide& side, ProfileFigures& out) {
    constexpr double kSlowGbPerS = 14.4, kLeastMb = 16;  // 0.8 of 18; what is smaller is slow by itself
    PerText<bool> is_product(side.kernels.texts,
                             [&](const std::string& type) { return side.names.matmul_types.in(type); });
    std::vector<Interval> products;
    for (const TimedKernel kernel : side.kernels.rows) {
        if (is_product[kernel.type]) products.push_back({kernel.begin, kernel.begin + kernel.duration});
    }
    if (products.empty()) return;
    products = merged(std::move(products));
    double slow = 0, slowest = 0;
    for (const auto& [step, kinds] : members(&document.root)) {
        for (const auto& [name, said] : members(kinds.find("collective"))) {
            const base::Json* times = said.find("Communication Time Info");
            const base::Json* links = said.find("Communication Bandwidth Info");
            const base::Json* sdma = links == nullptr ? nullptr : links->find("SDMA");
            if (sdma == nullptr || times == nullptr || number_at(*sdma, "Transit Size(MB)") < kLeastMb) continue;
            const double bandwidth = number_at(*sdma, "Bandwidth(GB/s)"), at = number_at(*times, "Start Timestamp(us)");
            const double length = number_at(*times, "Elapse Time(ms)") * 1e3;
            if (!(bandwidth > 0) || bandwidth >= kSlowGbPerS || !(at > 0) || at > 1e18 || !(length < 1e10)) continue;
            const auto begin = side.trace.origin.ticks({static_cast<std::int64_t>(at), 0});
            if (!begin) continue;
            const std::vector<Interval> transfer{{*begin, *begin + static_cast<Ticks>(length * kTicksPerMicrosecond)}};
            if (length_in_both(products, transfer) == 0) continue;
            slowest = slow == 0 ? bandwidth : std::min(slowest, bandwidth);
            ++slow;
        }
    }
    out.numbers["contended"] = slow;
    out.numbers["contended_gb_s"] = slowest;
}

void add_variables(const base::JsonDocument& document, ProfileFigures& out) {
    for (const auto& [name, value] : members(document.root.find("ENV_VARIABLES"))) {
        if (value.string() != nullptr) out.variables[name] = *value.string();
    }
}

// A part that is missing, broken or empty says nothing.
template <class Add>
base::Status add_from(const ProfileSource& source, ProfilePart part, const Add& add) {
    const auto document = source.document(part);
    if (document && *document && !members(&(*document)->root).empty()) add(**document);
    const bool is_broken = !document && document.error().kind == base::ErrorKind::bad_input;
    return document || is_broken ? base::Status() : tl::unexpected(document.error());
}

}  // namespace

base::Status add_side_figures(base::FileSystem& fs, const base::DataStore& store, const ProfileSide& side,
                              ProfileFigures& out) {
    TRY_ASSIGN(const FasterForms forms, base::read_rule_record<FasterForms>(store, "rules/profiles/faster_forms.json"));
    TRY_ASSIGN(const UnitRules units, base::read_rule_record<UnitRules>(store, "rules/profiles/units.json"));
    add_metric_figures(side.metrics, out);
    add_operator_figures(side, out);
    add_faster_forms(side, forms, out);
    if (side.trace.kind == TraceKind::gpu) return {};
    add_kernel_figures(side, out);
    add_runtime_figures(side, out);
    out.numbers["unaligned_transfers"] = static_cast<double>(side.trace.unaligned_transfers);
    const DeviceInfo device = device_info(fs, side.source.folder(), side.tables.files.device);
    add_frequency(side, device, out);
    add_collections(side, out);
    TRY(add_unit_figures(side.source, side.tables.kernels, side.names, units, device,
                         side.step ? base::format("{}", *side.step) : std::string(), out));
    TRY(add_from(side.source, ProfilePart::communication, [&](const base::JsonDocument& document) {
        add_packet_figures(document, out);
        add_contention(document, side, out);
    }));
    return add_from(side.source, ProfilePart::metadata,
                    [&](const base::JsonDocument& document) { add_variables(document, out); });
}

}  // namespace migrator
