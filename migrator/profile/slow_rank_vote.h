// SlowRankVote: which rank the others wait for. A collective ends on all of its ranks together, so the one that comes last is the one
// that spends the least time in it; where that time is an outlier, the collective is a vote against this rank.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/rule_file.h"

namespace migrator {

// From how many values on a statistic must be how large (rules/profiles/outliers.json).
struct CriticalValue {
    std::uint64_t values = 0;
    double ratio = 0;
};
constexpr auto record_of(const CriticalValue*) {
    return base::record("critical_value", "of Dixon's test",
                        base::field("values", &CriticalValue::values, "how many there are").needed(),
                        base::field("ratio", &CriticalValue::ratio, "the least ratio of an outlier").needed());
}

struct OutlierTable : base::RuleFileHead {
    std::vector<CriticalValue> critical;  // by the number of values
    double deviations = 0;                // where there are more values than that
};
constexpr auto record_of(const OutlierTable*) {
    using T = OutlierTable;
    return base::extended(record_of(static_cast<const base::RuleFileHead*>(nullptr)), "outliers",
                          "which of several values is an outlier",
                          base::field("critical", &T::critical, "of Dixon's test, by the number of values").needed(),
                          base::field("deviations", &T::deviations,
                                      "where there are more values: how many standard deviations from the mean")
                              .needed());
}

// Whether the smallest of these times is an outlier. `sorted`: ascending.
bool is_first_an_outlier(std::span<const double> sorted, const OutlierTable& table);

class SlowRankVote {
public:
    // The time that a rank, by its place among all, spent in a collective of a group.
    void add(std::size_t rank, const std::string& step, const std::string& group, const std::string& name, double ms);

    struct Result {
        std::uint64_t collectives = 0;                 // that three ranks or more were in
        std::map<std::size_t, std::uint64_t> against;  // by rank: how many of these it came to last
    };
    // Groups in which ranks have other numbers of collectives are left out: their names do not tell which belong together.
    Result result(const OutlierTable& table) const;

private:
    using Times = std::vector<std::pair<std::size_t, double>>;  // rank, milliseconds
    std::map<std::pair<std::string, std::string>, std::map<std::string, Times>>
        groups_;  // by step and group, then name
};

}  // namespace migrator
