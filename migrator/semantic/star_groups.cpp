#include "migrator/semantic/star_groups.h"

#include <algorithm>
#include <unordered_set>

#include "base/strong_components.h"

namespace migrator {

StarGroups::StarGroups(std::vector<std::string> modules,
                       const std::function<std::vector<std::string_view>(std::string_view)>& stars_of,
                       const std::function<bool(std::string_view)>& knows) {
    base::StringMap<std::uint32_t> numbers;
    std::vector<std::string> names;
    const auto number = [&](std::string_view name) {
        const auto [at, fresh] = numbers.try_emplace(std::string(name), static_cast<std::uint32_t>(names.size()));
        if (fresh) names.emplace_back(name);
        return at->second;
    };
    for (const std::string& module : modules) number(module);
    std::vector<std::vector<std::uint32_t>> next;
    while (next.size() < names.size()) {  // which grows
        std::vector<std::uint32_t> edges;
        for (const std::string_view star : stars_of(names[next.size()])) edges.push_back(number(star));
        next.push_back(std::move(edges));
    }

    const std::vector<std::uint32_t> component = base::strong_components(next);
    groups_.resize(names.empty() ? 0 : *std::ranges::max_element(component) + std::size_t{1});
    for (std::size_t i = 0; i < names.size(); ++i) {
        Group& group = groups_[component[i]];
        group.is_known = group.is_known && knows(names[i]);
        for (const std::uint32_t other : next[i]) {
            if (component[other] != component[i]) group.next.push_back(component[other]);
        }
        group_of_.emplace(names[i], component[i]);
        group.modules.push_back(std::move(names[i]));
    }
    for (Group& group : groups_) {
        std::unordered_set<Id> seen;
        std::erase_if(group.next, [&](Id other) { return !seen.insert(other).second; });
        for (const Id other : group.next) group.is_known = group.is_known && groups_[other].is_known;
    }
}

std::optional<StarGroups::Id> StarGroups::find(std::string_view module) const {
    const auto found = group_of_.find(module);
    return found == group_of_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace migrator
