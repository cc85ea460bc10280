#include "migrator/profile/flow_table.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/number_text.h"

namespace migrator {

// Finds the begins by their id.
class FlowTable::Begins {
public:
    explicit Begins(const Ends& all) : all_(all), slots_(std::bit_ceil(all.size() * 2 + 1)) {
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            std::uint32_t& slot = slot_of(all.get<&End::id>(i));
            if (slot == 0) slot = i + 1;
            else later_[slot - 1] = i;
        }
    }

    // The number of the first begin of this id; that of all begins where there is none.
    std::size_t first(std::uint64_t id) {
        const std::uint32_t slot = slot_of(id);
        return slot == 0 ? all_.size() : slot - 1;
    }
    // What holds of an id whose first begin that is.
    End last(std::size_t first) const {
        const auto found = later_.find(static_cast<std::uint32_t>(first));
        return all_[found == later_.end() ? first : found->second];
    }

private:
    std::uint32_t& slot_of(std::uint64_t id) {
        std::uint64_t hash = id * 0x9e3779b97f4a7c15u;  // spreads ids that follow each other
        hash ^= hash >> 32;
        for (std::size_t place = hash;; ++place) {
            std::uint32_t& slot = slots_[place & (slots_.size() - 1)];
            if (slot == 0 || all_.get<&End::id>(slot - 1) == id) return slot;
        }
    }

    const Ends& all_;
    std::vector<std::uint32_t> slots_;  // number of a begin + 1; 0: free
    std::unordered_map<std::uint32_t, std::uint32_t> later_;
};

std::uint64_t FlowTable::number_of(std::string_view token) {
    if (const auto number = base::number_in<std::uint64_t>(token)) return *number;
    return std::hash<std::string_view>{}(token);
}

void FlowTable::join() {
    struct Joined {
        Ticks at;
        std::uint32_t begin, end;
    };
    Begins begins(begins_);
    std::vector<bool> is_taken(begins_.size());
    std::vector<Joined> order;
    order.reserve(ends_.size());
    for (std::size_t i = ends_.size(); i-- > 0;) {
        const std::size_t first = begins.first(ends_.get<&End::id>(i));
        if (first < is_taken.size() && is_taken[first]) continue;
        if (first < is_taken.size()) is_taken[first] = true;
        order.push_back({ends_.get<&End::at>(i), static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(i)});
    }
    std::ranges::reverse(order);
    std::ranges::sort(order, {}, [](const Joined& item) { return std::tuple(item.at, item.begin, item.end); });
    for (const Joined& item : order) {
        const End end = ends_[item.end];
        Flow flow{.end = end.at, .end_thread = end.thread};
        if (item.begin < begins_.size()) {
            const End begin = begins.last(item.begin);
            flow.begin = begin.at;
            flow.begin_thread = begin.thread;
        }
        flows_.push_back(flow);
    }
    begins_.clear();
    ends_.clear();
}

std::pair<std::size_t, std::size_t> FlowTable::ending_at(Ticks time) const {
    const std::size_t first = flows_.lower_bound<&Flow::end>(time);
    std::size_t after = first;
    while (after < flows_.size() && flows_.get<&Flow::end>(after) == time) ++after;
    return {first, after};
}

}  // namespace migrator
