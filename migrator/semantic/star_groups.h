// StarGroups: which modules `from module import *` reaches, by way of the star imports of modules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"

namespace migrator {

class StarGroups {
public:
    using Id = std::uint32_t;
    // One module, or those that bring each other's names in a cycle of imports.
    struct Group {
        std::vector<std::string> modules;
        std::vector<Id> next;  // whose names the stars bring as well, in their order; all smaller than its own number
        bool is_known = true;  // so are all modules that it reaches
    };

    StarGroups() = default;
    // Of these modules and all that they reach. `stars_of`: what a module imports with a star. `knows`: whether the names of
    // a module are known.
    StarGroups(std::vector<std::string> modules,
               const std::function<std::vector<std::string_view>(std::string_view)>& stars_of,
               const std::function<bool(std::string_view)>& knows);

    // nullopt: it is none of the modules.
    std::optional<Id> find(std::string_view module) const;
    const Group& group(Id id) const { return groups_[id]; }
    std::size_t size() const { return groups_.size(); }

private:
    std::vector<Group> groups_;
    base::StringMap<Id> group_of_;
};

}  // namespace migrator
