#include "migrator/compare/operator_tree.h"

#include <algorithm>
#include <tuple>

namespace migrator {
namespace {

constexpr std::uint32_t kNoNode = OperatorNode::kNone;

// Where an event of the device is found again.
using DevicePlace = std::pair<Ticks, TextNumber>;

DevicePlace place_of(const DeviceEvent& event) { return {event.begin, event.thread}; }

}  // namespace

OperatorTree::OperatorTree(const ProfileSide& side, ProfileNumbers numbers, bool with_collectives)
    : side_(side),
      is_ours_(numbers == ProfileNumbers::ours),
      by_connection_(!is_ours_ && side.trace.is_database),
      is_step_(side.trace.texts, [&side](const std::string& name) { return side.names.step_names.in(name); }),
      is_launch_(side.trace.texts,
                 [&side](const std::string& category) { return side.names.launch_categories.is(category); }) {
    find_started(with_collectives);
    add_nodes();
    nest();
    find_top();
    if (is_ours_) start_by_launch();
    else if (by_connection_) start_by_connection();
    else start_by_time();
    starts_ = sorted_by<&Start::key>(std::move(starts_));
}

DeviceEvent OperatorTree::started_event(std::uint32_t number) const {
    const TraceRecords& trace = side_.trace;
    return number < trace.device.size() ? trace.device[number] : trace.collectives[number - trace.device.size()];
}

// Kernels and copies of a GPU; tasks of an NPU and its collectives, without their tasks.
void OperatorTree::find_started(bool with_collectives) {
    const TraceRecords& trace = side_.trace;
    for (std::uint32_t i = 0; i < trace.device.size(); ++i) kernels_.push_back(i);
    for (std::uint32_t i = 0; with_collectives && !by_connection_ && i < trace.collectives.size(); ++i) {
        const TextNumber written = trace.threads[trace.collectives.get<&DeviceEvent::thread>(i)].second;
        const auto thread = trace.collective_threads.find(written);
        if (thread != trace.collective_threads.end() && side_.names.group_threads.in(lower_case(thread->second.name)))
            kernels_.push_back(static_cast<std::uint32_t>(trace.device.size()) + i);
    }
    const auto place = [&](std::uint32_t number) { return place_of(started_event(number)); };
    if (!by_connection_ && !std::ranges::is_sorted(kernels_, {}, place)) std::ranges::stable_sort(kernels_, {}, place);
}

// By their begin; ours by thread first, and where two begin together the outer one first.
void OperatorTree::add_nodes() {
    struct Place {
        TextNumber thread;
        Ticks begin, length;
        std::uint32_t event;
    };
    std::vector<Place> places;
    places.reserve(side_.trace.host.size());
    for (const HostEvent event : side_.trace.host)
        places.push_back({is_ours_ ? event.thread : 0, event.begin, is_ours_ ? -event.duration : 0,
                          static_cast<std::uint32_t>(places.size())});
    std::ranges::sort(places, {},
                      [](const Place& item) { return std::tuple(item.thread, item.begin, item.length, item.event); });
    nodes_.reserve(places.size());
    for (const Place& item : places) {
        if (nodes_.empty() ||
            (is_ours_ && item.thread != get<&HostEvent::thread>(static_cast<std::uint32_t>(nodes_.size() - 1))))
            threads_.push_back(static_cast<std::uint32_t>(nodes_.size()));
        nodes_.push_back({.event = item.event});
    }
}

void OperatorTree::nest() {
    struct Open {
        std::uint32_t node;
        TextNumber thread;
        Ticks end;
    };
    std::vector<Open> open;
    const auto close = [&](std::uint32_t after) {
        nodes_[open.back().node].after = after;
        open.pop_back();
    };
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        const HostEvent here = event(i);
        const auto is_over = [&](const Open& outer) {
            return here.begin > outer.end || (is_ours_ && (outer.thread != here.thread || here.begin == outer.end));
        };
        while (!open.empty() && is_over(open.back())) close(i);
        if (!open.empty()) nodes_[i].parent = open.back().node;
        open.push_back({i, here.thread, here.end()});
    }
    while (!open.empty()) close(static_cast<std::uint32_t>(nodes_.size()));
}

bool OperatorTree::is_step(std::uint32_t node) const { return is_step_[get<&HostEvent::name>(node)]; }

bool OperatorTree::is_launch(std::uint32_t node) const { return is_launch_[get<&HostEvent::category>(node)]; }

void OperatorTree::find_top() {
    const std::string wanted = side_.step ? "#" + std::to_string(*side_.step) : std::string();
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].parent != kNoNode) continue;
        if (!is_step(i)) {
            const Ticks begin = get<&HostEvent::begin>(i);
            const bool is_in =
                !side_.step_time || (is_ours_ && begin >= side_.step_time->begin && begin < side_.step_time->end);
            if (is_in) top_.push_back(i);
            continue;
        }
        if (!side_.step || name(i).ends_with(wanted)) {
            for (const std::uint32_t child : children(i)) top_.push_back(child);
        }
    }
    if (is_ours_) std::erase_if(top_, [&](std::uint32_t node) { return is_launch(node); });
    const auto begin_of = [&](std::uint32_t node) { return get<&HostEvent::begin>(node); };
    if (is_ours_ && !std::ranges::is_sorted(top_, {}, begin_of)) std::ranges::stable_sort(top_, {}, begin_of);
}

std::vector<std::uint32_t> OperatorTree::children(std::uint32_t node) const {
    std::vector<std::uint32_t> out;
    each_child(node, [&](std::uint32_t child) { out.push_back(child); });
    return out;
}

std::vector<std::uint32_t> OperatorTree::levels(std::vector<std::uint32_t> nodes) const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        each_child(nodes[i], [&](std::uint32_t child) { nodes.push_back(child); });
    return nodes;
}

void OperatorTree::start_by_time() {
    for (const Flow flow : side_.trace.launches.all()) {
        if (!flow.is_whole()) continue;
        const DevicePlace wanted{flow.end, flow.end_thread};
        // The last of several with the same place: it takes that of the others.
        const auto after = std::ranges::upper_bound(
            kernels_, wanted, {}, [&](std::uint32_t number) { return place_of(started_event(number)); });
        if (after == kernels_.begin() || place_of(started_event(*(after - 1))) != wanted) continue;
        starts_.push_back({flow.begin, static_cast<std::uint32_t>(after - 1 - kernels_.begin())});
    }
}

void OperatorTree::start_by_connection() {
    for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
        if (const DeviceEvent event = kernel(i); event.connection != 0) starts_.push_back({event.connection, i});
    }
}

// The place on the host from which a kernel was started: its thread, and when.
std::optional<std::pair<TextNumber, Ticks>> OperatorTree::launch_place(const DeviceEvent& kernel) const {
    const TraceRecords& trace = side_.trace;
    if (const std::int64_t link = trace.kind == TraceKind::gpu ? kernel.link : kernel.connection; link != 0) {
        if (const auto call = launch_of(trace.launch_calls, link)) return std::pair(call->thread, call->begin);
    }
    const auto [first, after] = trace.launches.ending_at(kernel.begin);
    for (std::size_t i = first; i < after; ++i) {
        const Flow flow = trace.launches.all()[i];
        if (flow.is_whole() && flow.end_thread == kernel.thread) return std::pair(flow.begin_thread, flow.begin);
    }
    return std::nullopt;
}

std::vector<OperatorTree::Launched> OperatorTree::launched() const {
    std::vector<Launched> out;
    out.reserve(kernels_.size());
    for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
        if (const auto place = launch_place(kernel(i))) out.push_back({place->first, i, place->second});
    }
    std::ranges::sort(out, {}, [](const Launched& item) { return std::tuple(item.thread, item.at, item.kernel); });
    return out;
}

void OperatorTree::start_by_launch() {
    std::uint32_t node = 0, open = kNoNode;
    for (const Launched& item : launched()) {
        while (node < nodes_.size() && std::tuple(get<&HostEvent::thread>(node), get<&HostEvent::begin>(node)) <=
                                           std::tuple(item.thread, item.at))
            open = node++;
        std::uint32_t around = open;
        const auto is_around = [&](const HostEvent& outer) {
            return outer.thread == item.thread && outer.end() >= item.at && !is_launch_[outer.category];
        };
        while (around != kNoNode && !is_around(event(around))) around = nodes_[around].parent;
        if (around != kNoNode) starts_.push_back({around, item.kernel});
    }
}

std::vector<std::uint32_t> OperatorTree::all_kernels(std::uint32_t node) const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t inner : levels({node}))
        each_kernel(inner, [&](std::uint32_t number) { out.push_back(number); });
    return out;
}

double OperatorTree::device_time(std::uint32_t node) const {
    double out = 0;
    const auto add = [&](std::uint32_t number) { out += microseconds(kernel(number).duration); };
    for (std::uint32_t inner = node; inner < nodes_[node].after; ++inner) each_kernel(inner, add);
    return out;
}

std::uint32_t OperatorTree::open_at(Ticks time) const {
    std::uint32_t best = kNoNode;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
        const auto first = nodes_.begin() + threads_[i];
        const auto last = i + 1 < threads_.size() ? nodes_.begin() + threads_[i + 1] : nodes_.end();
        const auto after = std::upper_bound(first, last, time, [&](Ticks at, const OperatorNode& node) {
            return at < side_.trace.host.get<&HostEvent::begin>(node.event);
        });
        if (after == first) continue;
        auto node = static_cast<std::uint32_t>(after - nodes_.begin() - 1);
        while (node != kNoNode && event(node).end() < time) node = nodes_[node].parent;
        if (node != kNoNode && (best == kNoNode || get<&HostEvent::begin>(node) > get<&HostEvent::begin>(best)))
            best = node;
    }
    return best;
}

}  // namespace migrator
