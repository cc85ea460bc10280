#include "migrator/compare/operator_tree.h"

#include <algorithm>
#include <map>
#include <set>

namespace migrator {
namespace {

constexpr std::uint32_t kNoNode = OperatorNode::kNone;

// Where an event of the device is found again.
using DevicePlace = std::pair<Ticks, TextNumber>;

DevicePlace place_of(const DeviceEvent& event) { return {event.begin, event.thread}; }

// Kernels and copies of a GPU; tasks of an NPU and its collectives, without their tasks.
std::vector<const DeviceEvent*> started_events(const ProfileSide& side, bool with_collectives) {
    std::vector<const DeviceEvent*> out;
    for (const DeviceEvent& event : side.trace.device) out.push_back(&event);
    for (const DeviceEvent& event : side.trace.collectives) {
        if (!with_collectives) break;
        const auto thread = side.trace.collective_threads.find(side.trace.threads[event.thread].second);
        if (thread != side.trace.collective_threads.end() &&
            side.names.group_threads.in(lower_case(thread->second.name)))
            out.push_back(&event);
    }
    std::ranges::stable_sort(out, {}, [](const DeviceEvent* event) { return place_of(*event); });
    return out;
}

}  // namespace

OperatorTree::OperatorTree(const ProfileSide& side, ProfileNumbers numbers, bool with_collectives)
    : side_(side), is_ours_(numbers == ProfileNumbers::ours), kernels_(started_events(side, with_collectives)) {
    add_nodes();
    nest();
    find_top();
    if (is_ours_) start_by_launch();
    else start_by_time();
    sort_starts();
}

void OperatorTree::add_nodes() {
    const std::vector<HostEvent>& host = side_.trace.host;
    for (std::size_t i = 0; i < host.size(); ++i) {
        nodes_.push_back({.event = static_cast<std::uint32_t>(i)});
    }
    std::ranges::stable_sort(nodes_, [&](const OperatorNode& one, const OperatorNode& other) {
        const HostEvent &a = host[one.event], &b = host[other.event];
        if (is_ours_ && a.thread != b.thread) return a.thread < b.thread;
        if (a.begin != b.begin || !is_ours_) return a.begin < b.begin;
        return a.duration > b.duration;
    });
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        if (i == 0 || (is_ours_ && event(i).thread != event(i - 1).thread)) threads_.push_back(i);
    }
}

void OperatorTree::nest() {
    std::uint32_t open = kNoNode;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        const auto is_over = [&](std::uint32_t outer) {
            const HostEvent &around = event(outer), &here = event(i);
            return here.begin > around.end() ||
                   (is_ours_ && (around.thread != here.thread || here.begin == around.end()));
        };
        while (open != kNoNode && is_over(open)) open = nodes_[open].parent;
        nodes_[i].parent = open;
        if (open != kNoNode) {
            OperatorNode& parent = nodes_[open];
            if (parent.first_child == kNoNode) parent.first_child = i;
            else nodes_[parent.last_child].next = i;
            parent.last_child = i;
        }
        open = i;
    }
}

bool OperatorTree::is_step(std::uint32_t node) const { return side_.names.step_names.in(lower_case(name(node))); }

bool OperatorTree::is_launch(std::uint32_t node) const {
    return side_.names.launch_categories.is(lower_case(side_.trace.texts[event(node).category]));
}

void OperatorTree::find_top() {
    const std::string wanted = side_.step ? "#" + std::to_string(*side_.step) : std::string();
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].parent != kNoNode) continue;
        if (!is_step(i)) {
            const bool is_in = !side_.step_time || (is_ours_ && event(i).begin >= side_.step_time->begin &&
                                                    event(i).begin < side_.step_time->end);
            if (is_in) top_.push_back(i);
            continue;
        }
        if (!side_.step || name(i).ends_with(wanted)) {
            for (const std::uint32_t child : children(i)) top_.push_back(child);
        }
    }
    if (is_ours_) std::erase_if(top_, [&](std::uint32_t node) { return is_launch(node); });
    if (is_ours_) std::ranges::stable_sort(top_, {}, [&](std::uint32_t node) { return event(node).begin; });
}

std::vector<std::uint32_t> OperatorTree::children(std::uint32_t node) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t child = nodes_[node].first_child; child != kNoNode; child = nodes_[child].next)
        out.push_back(child);
    return out;
}

std::vector<std::uint32_t> OperatorTree::levels(std::vector<std::uint32_t> nodes) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::uint32_t child = nodes_[nodes[i]].first_child; child != kNoNode; child = nodes_[child].next)
            nodes.push_back(child);
    }
    return nodes;
}

void OperatorTree::start_by_time() {
    for (const Flow& flow : side_.trace.launches.all()) {
        if (!flow.is_whole()) continue;
        const DevicePlace wanted{flow.end, flow.end_thread};
        // The last of several with the same place: it takes that of the others.
        const auto after =
            std::ranges::upper_bound(kernels_, wanted, {}, [](const DeviceEvent* event) { return place_of(*event); });
        if (after == kernels_.begin() || place_of(**(after - 1)) != wanted) continue;
        starts_.push_back({flow.begin, static_cast<std::uint32_t>(after - 1 - kernels_.begin())});
    }
}

void OperatorTree::start_by_launch() {
    // Places on the host from which kernels were started.
    struct Launched {
        TextNumber thread;
        Ticks at;
        std::uint32_t kernel;
    };
    std::vector<Launched> launched;
    std::vector<bool> is_found(kernels_.size());
    const auto add = [&](TextNumber thread, Ticks at, std::uint32_t kernel) {
        if (is_found[kernel]) return;
        is_found[kernel] = true;
        launched.push_back({thread, at, kernel});
    };
    std::vector<std::pair<std::int64_t, std::uint32_t>> by_link;
    if (side_.trace.kind == TraceKind::gpu) {
        for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
            if (kernels_[i]->link != 0) by_link.emplace_back(kernels_[i]->link, i);
        }
    }
    std::sort(by_link.begin(), by_link.end());
    for (const LaunchCall& item : side_.trace.launch_calls) {
        auto found = std::ranges::lower_bound(by_link, item.link, {}, &std::pair<std::int64_t, std::uint32_t>::first);
        for (; found != by_link.end() && found->first == item.link; ++found)
            add(item.thread, item.begin, found->second);
    }
    for (const Flow& flow : side_.trace.launches.all()) {
        if (!flow.is_whole()) continue;
        const DevicePlace wanted{flow.end, flow.end_thread};
        auto at =
            std::ranges::lower_bound(kernels_, wanted, {}, [](const DeviceEvent* event) { return place_of(*event); });
        for (; at != kernels_.end() && place_of(**at) == wanted; ++at)
            add(flow.begin_thread, flow.begin, static_cast<std::uint32_t>(at - kernels_.begin()));
    }
    std::ranges::sort(launched, {}, [](const Launched& item) { return std::tuple(item.thread, item.at, item.kernel); });
    std::uint32_t node = 0, open = kNoNode;
    for (const Launched& item : launched) {
        while (node < nodes_.size() &&
               std::tuple(event(node).thread, event(node).begin) <= std::tuple(item.thread, item.at))
            open = node++;
        std::uint32_t around = open;
        while (around != kNoNode &&
               (event(around).thread != item.thread || event(around).end() < item.at || is_launch(around)))
            around = nodes_[around].parent;
        if (around != kNoNode) starts_.push_back({static_cast<std::int64_t>(around), item.kernel});
    }
}

void OperatorTree::sort_starts() {
    std::ranges::stable_sort(starts_, {}, &Start::key);
    for (const Start& start : starts_) started_.push_back(start.kernel);
}

std::span<const std::uint32_t> OperatorTree::kernels(std::uint32_t node) const {
    const std::int64_t key = is_ours_ ? static_cast<std::int64_t>(node) : event(node).begin;
    const auto first = std::ranges::lower_bound(starts_, key, {}, &Start::key);
    const auto last = std::ranges::upper_bound(starts_, key, {}, &Start::key);
    return std::span(started_).subspan(static_cast<std::size_t>(first - starts_.begin()),
                                       static_cast<std::size_t>(last - first));
}

std::vector<std::uint32_t> OperatorTree::all_kernels(std::uint32_t node) const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t inner : levels({node})) {
        const auto own = kernels(inner);
        out.insert(out.end(), own.begin(), own.end());
    }
    return out;
}

std::uint32_t OperatorTree::open_at(Ticks time) const {
    std::uint32_t best = kNoNode;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
        const auto first = nodes_.begin() + threads_[i];
        const auto last = i + 1 < threads_.size() ? nodes_.begin() + threads_[i + 1] : nodes_.end();
        const auto after = std::upper_bound(first, last, time, [&](Ticks at, const OperatorNode& node) {
            return at < side_.trace.host[node.event].begin;
        });
        if (after == first) continue;
        auto node = static_cast<std::uint32_t>(after - nodes_.begin() - 1);
        while (node != kNoNode && event(node).end() < time) node = nodes_[node].parent;
        if (node != kNoNode && (best == kNoNode || event(node).begin > event(best).begin)) best = node;
    }
    return best;
}

}  // namespace migrator
