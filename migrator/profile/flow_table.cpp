#include "migrator/profile/flow_table.h"

#include <algorithm>
#include <functional>

#include "base/number_text.h"

#include "migrator/profile/append.h"

namespace migrator {
namespace {

std::size_t slot_of(std::uint64_t id) {
    id *= 0x9e3779b97f4a7c15u;  // spreads ids that follow each other
    return static_cast<std::size_t>(id ^ (id >> 32));
}

}  // namespace

std::uint64_t FlowTable::number_of(std::string_view token) {
    if (const auto number = base::number_in<std::uint64_t>(token)) return *number;
    return std::hash<std::string_view>{}(token);
}

Flow& FlowTable::of(std::uint64_t id) {
    if (flows_.size() * 2 >= slots_.size()) grow();
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = slot_of(id) & mask;; slot = (slot + 1) & mask) {
        if (slots_[slot] == 0) {
            append(flows_, Flow{.id = id});
            slots_[slot] = static_cast<std::uint32_t>(flows_.size());
            return flows_.back();
        }
        Flow& flow = flows_[slots_[slot] - 1];
        if (flow.id == id) return flow;
    }
}

void FlowTable::sort_by_end() {
    slots_ = {};
    std::ranges::stable_sort(flows_, {}, &Flow::end);
}

std::pair<std::vector<Flow>::const_iterator, std::vector<Flow>::const_iterator> FlowTable::ending_at(Ticks time) const {
    return {std::ranges::lower_bound(flows_, time, {}, &Flow::end),
            std::ranges::upper_bound(flows_, time, {}, &Flow::end)};
}

void FlowTable::grow() {
    constexpr std::size_t kFirst = 64;
    slots_.assign(slots_.empty() ? kFirst : slots_.size() * 2, 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
        std::size_t slot = slot_of(flows_[i].id) & mask;
        while (slots_[slot] != 0) slot = (slot + 1) & mask;
        slots_[slot] = static_cast<std::uint32_t>(i + 1);
    }
}

}  // namespace migrator
