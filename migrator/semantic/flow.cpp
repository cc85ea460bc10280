#include "migrator/semantic/flow.h"
#include "base/text.h"

#include <algorithm>
#include <span>

namespace migrator {
namespace {

// Beyond these nobody could say what the name means; they keep the work per use constant.
constexpr std::size_t kMaxBindings = 15;
constexpr std::size_t kMaxFlowSteps = 256;

// Walks from the use backwards. What is known at each moment: regions in which a later binding replaces all earlier
// ones ("covered"), and how many arms of a branch are covered.
class Search {
public:
    Search(const FileModel& model, std::span<const Binding> bindings) : model_(model), bindings_(bindings) {}

    // Those that another function makes at an unknown time may always hold.
    void add_bound_elsewhere() {
        result_.cut = bindings_.size() > kMaxFlowSteps;
        for (const Binding& binding : bindings_.first(std::min(bindings_.size(), kMaxFlowSteps))) {
            if (binding.elsewhere && result_.bindings.size() < kMaxBindings) add(binding);
        }
    }

    Reaching run(NodeId use, RegionId region) {
        NodeId before = use;
        RegionId at = region;
        for (;;) {
            const RegionId loop = loop_around(at);
            const NodeId begin = loop == kNone ? 0 : loop_node(loop);
            if (scan(begin, before, at)) return std::move(result_);
            if (loop == kNone) break;
            // The round before this one may have bound it, also behind the use.
            Search round(model_, bindings_);
            round.result_.bindings = std::move(result_.bindings);
            round.steps_ = steps_;
            round.scan(begin, model_.tree.subtree_end(begin), loop);
            result_.bindings = std::move(round.result_.bindings);
            result_.cut = result_.cut || round.result_.cut;
            steps_ = round.steps_;
            if (result_.cut) break;
            before = begin;
            at = model_.branches[model_.regions[loop].branch].parent;
        }
        result_.may_be_unbound = true;
        return std::move(result_);
    }

private:
    // Bindings with begin < effect <= end, latest first; true when they replace all that was before.
    bool scan(NodeId begin, NodeId end, RegionId use_region) {
        auto it = std::ranges::upper_bound(bindings_, end, {}, &Binding::effect);
        while (it != bindings_.begin()) {
            --it;
            // A parameter has no effect inside any loop, but at the function's beginning.
            if (it->effect < begin || (it->effect == begin && begin != 0)) break;
            if (it->elsewhere || it->kind == BindingKind::declared) continue;
            if (++steps_ > kMaxFlowSteps || result_.bindings.size() >= kMaxBindings) {
                result_.cut = true;
                return true;
            }
            if (cannot_flow(it->region, use_region)) continue;
            if (it->kind != BindingKind::deleted) add(*it);
            if (cover(it->region, use_region)) return true;
        }
        return false;
    }

    void add(const Binding& binding) {
        if (!base::contains(result_.bindings, &binding)) result_.bindings.push_back(&binding);
    }

    // The binding's code leaves the function, is another arm than the use's, or has been replaced.
    bool cannot_flow(RegionId from, RegionId to) const {
        if (is_around(from, to)) return false;
        RegionId at = from;
        for (; at != kNone && !is_around(at, to); at = model_.regions[at].parent) {
            if (model_.regions[at].exits && !is_try_body(at)) return true;
            if (base::contains(covered_, at)) return true;
            if (is_other_arm(at, to)) return true;
        }
        return false;
    }

    // Leaving the try's body by an exception leads to its handlers.
    bool is_try_body(RegionId region) const {
        const Branch& branch = model_.branches[model_.regions[region].branch];
        return branch.kind == BranchKind::handlers && branch.first == region;
    }

    bool is_other_arm(RegionId arm, RegionId to) const {
        const BranchId branch = model_.regions[arm].branch;
        if (branch == kNone || model_.branches[branch].kind == BranchKind::loop || is_try_body(arm)) return false;
        for (; to != kNone; to = model_.regions[to].parent) {
            if (model_.regions[to].branch == branch) return to != arm && !is_try_body(to);
        }
        return false;
    }

    // Marks that in `region` everything earlier is replaced; true when that holds at the use.
    bool cover(RegionId region, RegionId use_region) {
        while (!is_around(region, use_region)) {
            if (base::contains(covered_, region)) return false;
            covered_.push_back(region);
            const BranchId branch = model_.regions[region].branch;
            if (branch == kNone || !model_.branches[branch].exhaustive) return false;
            const auto arms = std::ranges::count_if(
                covered_, [&](RegionId r) { return model_.regions[r].branch == branch && !model_.regions[r].exits; });
            if (static_cast<std::uint32_t>(arms) < model_.branches[branch].arms) return false;
            region = model_.branches[branch].parent;
        }
        return true;
    }

    bool is_around(RegionId outer, RegionId inner) const {
        while (inner != kNone && model_.regions[inner].depth > model_.regions[outer].depth)
            inner = model_.regions[inner].parent;
        return inner == outer;
    }

    // The innermost loop body that holds the region.
    RegionId loop_around(RegionId region) const {
        for (; region != kNone; region = model_.regions[region].parent) {
            const BranchId branch = model_.regions[region].branch;
            if (branch != kNone && model_.branches[branch].kind == BranchKind::loop &&
                model_.branches[branch].first == region)
                return region;
        }
        return kNone;
    }

    NodeId loop_node(RegionId loop) const { return model_.branches[model_.regions[loop].branch].node; }

    const FileModel& model_;
    std::span<const Binding> bindings_;
    base::InlineVector<RegionId, 8> covered_;
    std::size_t steps_ = 0;
    Reaching result_;
};

}  // namespace

Reaching reaching_bindings(const FileModel& model, SymbolId symbol, NodeId use, RegionId region) {
    Search search(model, model.bindings_of(symbol));
    if (model.symbols[symbol].bound_elsewhere) search.add_bound_elsewhere();
    return search.run(use, region);
}

}  // namespace migrator
