#include "base/strong_components.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace base {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Tarjan's algorithm: a node whose way back leads to no earlier one closes a component with all that is open behind it.
class ComponentSearch {
public:
    explicit ComponentSearch(const std::vector<std::vector<std::uint32_t>>& next)
        : next_(next), order_(next.size(), kNone), lowest_(next.size()), component_(next.size(), kNone) {}

    std::vector<std::uint32_t> run() {
        for (std::uint32_t node = 0; node < next_.size(); ++node) {
            if (order_[node] == kNone) search_from(node);
        }
        return std::move(component_);
    }

private:
    struct Visit {
        std::uint32_t node;
        std::size_t edge = 0;
    };

    void enter(std::uint32_t node) {
        order_[node] = lowest_[node] = entered_++;
        open_.push_back(node);
        path_.push_back({node});
    }

    void search_from(std::uint32_t root) {
        enter(root);
        while (!path_.empty()) {
            const std::uint32_t node = path_.back().node;
            if (path_.back().edge < next_[node].size()) {
                const std::uint32_t other = next_[node][path_.back().edge++];
                if (order_[other] == kNone) enter(other);
                else if (component_[other] == kNone) lowest_[node] = std::min(lowest_[node], order_[other]);
                continue;
            }
            path_.pop_back();
            if (!path_.empty()) lowest_[path_.back().node] = std::min(lowest_[path_.back().node], lowest_[node]);
            if (lowest_[node] == order_[node]) close(node);
        }
    }

    void close(std::uint32_t first) {
        for (std::uint32_t node = kNone; node != first;) {
            node = open_.back();
            open_.pop_back();
            component_[node] = components_;
        }
        ++components_;
    }

    const std::vector<std::vector<std::uint32_t>>& next_;
    std::vector<std::uint32_t> order_, lowest_, component_;  // by node
    std::vector<std::uint32_t> open_;
    std::vector<Visit> path_;
    std::uint32_t entered_ = 0, components_ = 0;
};

}  // namespace

std::vector<std::uint32_t> strong_components(const std::vector<std::vector<std::uint32_t>>& next) {
    return ComponentSearch(next).run();
}

}  // namespace base
