// `method`: a member of objects of these classes, called or not.
#pragma once

#include "migrator/ruleset/name.h"

namespace migrator {

struct MethodRow {
    const Rule* rule = nullptr;
    std::vector<std::string> names;
    std::vector<std::string> of;             // classes
    std::vector<std::string> when_imported;  // an object of unknown class counts only in files that import one of these
    bool called = false;                     // ... and only when the member is called
    bool telling = false;                    // in other files it is told of as well, as `textual`
    std::optional<MemberFix> fix{};
};

constexpr auto record_of(const MethodRow*) {
    return base::record(
        "method",
        "members of objects; where a class of the project defines the same member, unknown objects are "
        "reported and not changed",
        base::field("names", &MethodRow::names, "the members").needed(),
        base::field("of", &MethodRow::of, "classes").needed(),
        base::field("when_imported", &MethodRow::when_imported,
                    "an object of unknown class counts, as `likely`, in files that import one of these"),
        base::field("called", &MethodRow::called, "and only when the member is called"),
        base::field("telling", &MethodRow::telling,
                    "its name says enough to report it, as `textual`, in all other files"));
}

base::Status add(RuleSet& set, MethodRow row, MemberFix fix, const Adding& adding);

}  // namespace migrator
