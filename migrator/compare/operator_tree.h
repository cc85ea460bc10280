// OperatorTree: the operators of the host inside each other, and the kernels that each has started.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "migrator/compare/profile_side.h"

namespace migrator {

struct OperatorNode {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t event = 0;  // of the trace
    std::uint32_t parent = kNone, first_child = kNone, last_child = kNone, next = kNone;
};

class OperatorTree {
public:
    // Ours: an operator lies in the one that is open on its thread, and has the kernels whose launches it is the innermost around;
    // what only starts kernels has none, and is never on top. Msprof: threads are one, and an operator has the kernels whose arrow
    // begins when it does.
    // `with_collectives`: of an NPU, these are kernels too.
    OperatorTree(const ProfileSide& side, ProfileNumbers numbers, bool with_collectives = true);

    const std::vector<OperatorNode>& nodes() const { return nodes_; }
    const HostEvent& event(std::uint32_t node) const { return side_.trace.host[nodes_[node].event]; }
    std::string_view name(std::uint32_t node) const { return side_.trace.texts[event(node).name]; }
    std::vector<std::uint32_t> children(std::uint32_t node) const;
    bool has_children(std::uint32_t node) const { return nodes_[node].first_child != OperatorNode::kNone; }
    // What stands on no other operator but a step; of a chosen step only what is in it.
    const std::vector<std::uint32_t>& top() const { return top_; }
    // The nodes and all in them, level by level.
    std::vector<std::uint32_t> levels(std::vector<std::uint32_t> nodes) const;
    bool is_step(std::uint32_t node) const;
    bool is_launch(std::uint32_t node) const;  // a call that only starts kernels

    // Kernels of the node itself; numbers for kernel().
    std::span<const std::uint32_t> kernels(std::uint32_t node) const;
    const DeviceEvent& kernel(std::uint32_t number) const { return *kernels_[number]; }
    // Kernels of the node and of all in it, level by level.
    std::vector<std::uint32_t> all_kernels(std::uint32_t node) const;
    // The innermost operator that is open then, the one that began last where several threads have one; kNone: none.
    std::uint32_t open_at(Ticks time) const;

private:
    void add_nodes();
    void nest();
    void find_top();
    void start_by_time();
    void start_by_launch();

    struct Start {
        std::int64_t key;  // msprof: when the operator begins; ours: number of the node
        std::uint32_t kernel;
    };
    void sort_starts();

    const ProfileSide& side_;
    const bool is_ours_;
    std::vector<OperatorNode> nodes_;
    std::vector<std::uint32_t> top_;
    std::vector<std::uint32_t> threads_;  // the first node of each
    std::vector<const DeviceEvent*> kernels_;
    std::vector<Start> starts_;
    std::vector<std::uint32_t> started_;  // kernels of starts_, in its order
};

}  // namespace migrator
