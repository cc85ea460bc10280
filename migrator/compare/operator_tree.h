// OperatorTree: the operators of the host inside each other, and the kernels that each has started.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "migrator/compare/profile_side.h"
#include "migrator/profile/per_text.h"

namespace migrator {

struct OperatorNode {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t event = 0;  // of the trace
    std::uint32_t parent = kNone;
    std::uint32_t after = kNone;  // the first node behind it and all in it, which follow each other
};

class OperatorTree {
public:
    // Ours: an operator lies in the one that is open on its thread, and has the kernels whose launches it is the innermost around;
    // what only starts kernels has none, and is never on top. Msprof: threads are one, and an operator has the kernels whose arrow
    // begins when it does.
    // `with_collectives`: of an NPU, these are kernels too.
    OperatorTree(const ProfileSide& side, ProfileNumbers numbers, bool with_collectives = true);

    const std::vector<OperatorNode>& nodes() const { return nodes_; }
    HostEvent event(std::uint32_t node) const { return side_.trace.host[nodes_[node].event]; }
    template <auto Member>
    auto get(std::uint32_t node) const {
        return side_.trace.host.get<Member>(nodes_[node].event);
    }
    std::string_view name(std::uint32_t node) const { return side_.trace.texts[get<&HostEvent::name>(node)]; }
    std::vector<std::uint32_t> children(std::uint32_t node) const;
    template <class Visit>
    void each_child(std::uint32_t node, const Visit& visit) const {
        for (std::uint32_t child = node + 1; child < nodes_[node].after; child = nodes_[child].after) visit(child);
    }
    bool has_children(std::uint32_t node) const { return nodes_[node].after != node + 1; }
    // What stands on no other operator but a step; of a chosen step only what is in it.
    const std::vector<std::uint32_t>& top() const { return top_; }
    // The nodes and all in them, level by level.
    std::vector<std::uint32_t> levels(std::vector<std::uint32_t> nodes) const;
    bool is_step(std::uint32_t node) const;
    bool is_launch(std::uint32_t node) const;  // a call that only starts kernels

    // What a kernel is, by its number.
    DeviceEvent kernel(std::uint32_t number) const { return started_event(kernels_[number]); }
    // Kernels of the node itself: visit(number).
    template <class Visit>
    void each_kernel(std::uint32_t node, const Visit& visit) const {
        const std::int64_t key = key_of(node);
        for (std::size_t i = starts_.template lower_bound<&Start::key>(key); i < starts_.size(); ++i) {
            const Start start = starts_[i];
            if (start.key != key || (by_connection_ && key == 0)) return;
            visit(start.kernel);
        }
    }
    // Where and when kernels were started, by thread and time: visit(thread, time, number). Msprof: without threads.
    template <class Visit>
    void each_start(const Visit& visit) const {
        if (is_ours_) {
            for (const Launched& item : launched()) visit(item.thread, item.at, item.kernel);
        } else if (by_connection_) {
            // Of the operators that begin together, the last one that started something.
            for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
                const Ticks begin = get<&HostEvent::begin>(node);
                bool has_kernels = false, is_replaced = false;
                each_kernel(node, [&](std::uint32_t) { has_kernels = true; });
                for (std::uint32_t next = node + 1;
                     has_kernels && next < nodes_.size() && get<&HostEvent::begin>(next) == begin; ++next)
                    each_kernel(next, [&](std::uint32_t) { is_replaced = true; });
                if (!is_replaced) each_kernel(node, [&](std::uint32_t kernel) { visit(kNoText, begin, kernel); });
            }
        } else {
            for (const Start start : starts_) visit(kNoText, start.key, start.kernel);
        }
    }
    // Kernels of the node and of all in it, level by level.
    std::vector<std::uint32_t> all_kernels(std::uint32_t node) const;
    // How long those take, in microseconds.
    double device_time(std::uint32_t node) const;
    // The innermost operator that is open then, the one that began last where several threads have one; kNone: none.
    std::uint32_t open_at(Ticks time) const;

private:
    struct Start {
        std::int64_t key = 0;  // msprof: when the operator begins, or its connection; ours: number of the node
        std::uint32_t kernel = 0;
    };
    using Starts = PackedList<Start, &Start::key, &Start::kernel>;
    // A place on the host from which a kernel was started.
    struct Launched {
        TextNumber thread;
        std::uint32_t kernel;
        Ticks at;
    };

    void add_nodes();
    void nest();
    void find_top();
    void start_by_time();
    void start_by_connection();
    void start_by_launch();
    // Tasks of the device, and behind them collectives.
    DeviceEvent started_event(std::uint32_t number) const;
    void find_started(bool with_collectives);
    std::optional<std::pair<TextNumber, Ticks>> launch_place(const DeviceEvent& kernel) const;
    std::vector<Launched> launched() const;  // by thread and time
    std::int64_t key_of(std::uint32_t node) const {
        if (by_connection_) return get<&HostEvent::link>(node);
        return is_ours_ ? node : get<&HostEvent::begin>(node);
    }

    const ProfileSide& side_;
    const bool is_ours_;
    const bool
        by_connection_;  // msprof, of a database: an operator has the kernels of its number, whenever they were started
    std::vector<OperatorNode> nodes_;
    std::vector<std::uint32_t> top_;
    std::vector<std::uint32_t> threads_;  // the first node of each
    std::vector<std::uint32_t> kernels_;  // for started_event, by their begin and thread
    Starts starts_;                       // by their key
    mutable PerText<bool> is_step_, is_launch_;
};

}  // namespace migrator
