#include "migrator/profile/slow_rank_vote.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace migrator {
namespace {

constexpr std::size_t kLeastRanks = 3;
constexpr std::size_t kLeastDifferent = 4;  // clocks that tick slowly give the same few values

// Between two numbers of values that the table has, the straight line.
double critical_ratio(std::size_t values, const std::vector<CriticalValue>& table) {
    const auto above = std::ranges::lower_bound(table, values, {}, &CriticalValue::values);
    if (above == table.begin() || above->values == values) return above->ratio;
    const CriticalValue& below = *(above - 1);
    const double part = static_cast<double>(values - below.values) / static_cast<double>(above->values - below.values);
    return below.ratio + part * (above->ratio - below.ratio);
}

// Dixon's ratio for the smallest value: which gap is compared with which range depends on how many values there are.
double dixon_ratio(std::span<const double> sorted) {
    const std::size_t n = sorted.size();
    const std::size_t next = n <= 10 ? 1 : 2;
    const std::size_t last = n <= 7 ? n - 1 : n <= 13 ? n - 2 : n - 3;
    const double range = sorted[last] - sorted[0];
    return range > 0 ? (sorted[next] - sorted[0]) / range : 0;
}

bool is_far_from_mean(std::span<const double> sorted, double deviations) {
    const auto n = static_cast<double>(sorted.size());
    const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
    double squares = 0;
    for (const double value : sorted) squares += (value - mean) * (value - mean);
    const double width = deviations * std::sqrt(squares / n);
    return sorted.front() < mean - width || sorted.back() > mean + width;
}

}  // namespace

bool is_first_an_outlier(std::span<const double> sorted, const OutlierTable& table) {
    if (sorted.size() < kLeastRanks) return false;
    std::size_t different = 1;
    for (std::size_t i = 1; i < sorted.size(); ++i) different += sorted[i] != sorted[i - 1] ? 1 : 0;
    if (different < kLeastDifferent) return false;
    if (sorted.size() > table.critical.back().values) return is_far_from_mean(sorted, table.deviations);
    return dixon_ratio(sorted) > critical_ratio(sorted.size(), table.critical);
}

void SlowRankVote::add(std::size_t rank, const std::string& step, const std::string& group, const std::string& name,
                       double ms) {
    groups_[{step, group}][name].emplace_back(rank, ms);
}

SlowRankVote::Result SlowRankVote::result(const OutlierTable& table) const {
    Result out;
    for (const auto& [group, collectives] : groups_) {
        std::map<std::size_t, std::uint64_t> by_rank;
        for (const auto& [name, times] : collectives)
            for (const auto& [rank, ms] : times) ++by_rank[rank];
        const bool is_even =
            std::ranges::all_of(by_rank, [&](const auto& rank) { return rank.second == by_rank.begin()->second; });
        if (!is_even || by_rank.size() < kLeastRanks) continue;
        for (const auto& [name, times] : collectives) {
            ++out.collectives;
            std::vector<double> sorted;
            for (const auto& [rank, ms] : times) sorted.push_back(ms);
            std::ranges::sort(sorted);
            if (!is_first_an_outlier(sorted, table)) continue;
            const auto first = std::ranges::min_element(times, {}, &std::pair<std::size_t, double>::second);
            ++out.against[first->first];
        }
    }
    return out;
}

}  // namespace migrator
