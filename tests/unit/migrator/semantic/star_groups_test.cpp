#include <doctest/doctest.h>

#include <map>

#include "migrator/semantic/star_groups.h"

using migrator::StarGroups;

TEST_CASE("star groups: a cycle is one group, and what reaches an unknown module is unknown") {
    using Stars = std::vector<std::string_view>;
    const std::map<std::string_view, Stars> stars{{"a", {"b", "torch"}},   {"b", {"a"}}, {"c", {"torch", "a", "torch"}},
                                                  {"d", {"c", "nowhere"}}, {"e", {"d"}}, {"f", {}}};
    const StarGroups groups(
        {"a", "b", "c", "d", "e", "f"},
        [&](std::string_view module) {
            const auto found = stars.find(module);
            return found == stars.end() ? Stars() : found->second;
        },
        [&](std::string_view module) { return module == "torch" || stars.contains(module); });
    const auto group = [&](std::string_view module) { return groups.group(groups.find(module).value()); };
    using Modules = std::vector<std::string>;
    using Ids = std::vector<StarGroups::Id>;
    CHECK(group("a").modules == Modules{"a", "b"});
    CHECK(groups.find("a") == groups.find("b"));
    CHECK(group("c").next == Ids{groups.find("torch").value(), groups.find("a").value()});
    for (const std::string_view known : {"a", "b", "c", "f", "torch"}) CHECK(group(known).is_known);
    for (const std::string_view unknown : {"d", "e", "nowhere"}) CHECK_FALSE(group(unknown).is_known);
    CHECK(groups.size() == 7);
    CHECK_FALSE(groups.find("g").has_value());
}
