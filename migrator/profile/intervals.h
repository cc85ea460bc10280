// Intervals of time: unions, and what of one set lies in another.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "migrator/profile/ticks.h"

namespace migrator {

struct Interval {
    Ticks begin = 0, end = 0;  // without the end itself
};

// Sorted, without overlaps, without empty ones.
std::vector<Interval> merged(std::vector<Interval> intervals);
Ticks length_of(const std::vector<Interval>& merged);
// Of what lies in both; both merged.
Ticks length_in_both(const std::vector<Interval>& a, const std::vector<Interval>& b);
std::vector<Interval> common(const std::vector<Interval>& a, const std::vector<Interval>& b);
// What of `all` lies in none of `others`; both merged.
std::vector<Interval> without(const std::vector<Interval>& all, const std::vector<Interval>& others);

void sort_by_begin(std::vector<Interval>& intervals);

// Sorted by their begin; who looks for a part of them does not walk through all.
class SortedIntervals {
public:
    explicit SortedIntervals(std::vector<Interval> intervals);

    std::size_t size() const { return all_.size(); }
    const Interval& operator[](std::size_t at) const { return all_[at]; }
    // The first place from `from` on that is not behind intervals which all end at this time or before it.
    std::size_t first_after(Ticks time, std::size_t from) const;

private:
    std::vector<Interval> all_;
    std::vector<Ticks> last_end_;  // of those up to a place
};

// As msprof-analyze walks through both lists, sorted by their begin: what is nested in `of` counts twice, and what reaches from one
// interval of `within` into the next is found in both.
Ticks walked_length(const SortedIntervals& within, std::vector<Interval> of);
std::vector<Interval> walked_pieces(std::vector<Interval> of, const SortedIntervals& within);

// Pairs of lists by their numbers, those out of which something may lie in the other, sorted. Nothing where walking through both of each
// pair would be many times the work of walking through all lists.
std::optional<std::vector<std::pair<std::size_t, std::size_t>>> pairs_in_touch(
    const std::vector<std::vector<Interval>>& lists);

}  // namespace migrator
