// Intervals of time: unions, and what of one set lies in another.
#pragma once

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

// As msprof-analyze walks through both lists, sorted by their begin: what is nested in `of` counts twice, and what reaches from one
// interval of `within` into the next is found in both.
Ticks walked_length(const std::vector<Interval>& within, std::vector<Interval> of);
std::vector<Interval> walked_pieces(std::vector<Interval> of, const std::vector<Interval>& within);

void sort_by_begin(std::vector<Interval>& intervals);

}  // namespace migrator
