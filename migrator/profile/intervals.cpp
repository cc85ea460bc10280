#include "migrator/profile/intervals.h"

#include <algorithm>

namespace migrator {

void sort_by_begin(std::vector<Interval>& intervals) {
    std::stable_sort(intervals.begin(), intervals.end(),
                     [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
}

std::vector<Interval> merged(std::vector<Interval> intervals) {
    std::erase_if(intervals, [](const Interval& item) { return item.end <= item.begin; });
    sort_by_begin(intervals);
    std::size_t kept = 0;
    for (const Interval& item : intervals) {
        if (kept > 0 && item.begin <= intervals[kept - 1].end)
            intervals[kept - 1].end = std::max(intervals[kept - 1].end, item.end);
        else intervals[kept++] = item;
    }
    intervals.resize(kept);
    return intervals;
}

Ticks length_of(const std::vector<Interval>& merged) {
    Ticks out = 0;
    for (const Interval& item : merged) out += item.end - item.begin;
    return out;
}

std::vector<Interval> common(const std::vector<Interval>& a, const std::vector<Interval>& b) {
    std::vector<Interval> out;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const Interval both{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
        if (both.begin < both.end) out.push_back(both);
        if (a[i].end < b[j].end) ++i;
        else ++j;
    }
    return out;
}

Ticks length_in_both(const std::vector<Interval>& a, const std::vector<Interval>& b) { return length_of(common(a, b)); }

std::vector<Interval> without(const std::vector<Interval>& all, const std::vector<Interval>& others) {
    std::vector<Interval> out;
    std::size_t i = 0;
    for (const Interval& item : all) {
        Ticks begin = item.begin;
        while (i < others.size() && others[i].end <= begin) ++i;
        for (std::size_t j = i; j < others.size() && others[j].begin < item.end; ++j) {
            if (others[j].begin > begin) out.push_back({begin, others[j].begin});
            begin = std::max(begin, others[j].end);
        }
        if (begin < item.end) out.push_back({begin, item.end});
    }
    return out;
}

Ticks walked_length(const std::vector<Interval>& within, std::vector<Interval> of) {
    sort_by_begin(of);
    Ticks out = 0;
    std::size_t i = 0;
    for (const Interval& outer : within) {
        for (; i < of.size(); ++i) {
            if (of[i].end <= outer.begin) continue;
            if (of[i].begin >= outer.end) break;
            const Ticks begin = std::max(of[i].begin, outer.begin);
            out += std::min(of[i].end, outer.end) - begin;
            if (of[i].end >= outer.end) break;
        }
    }
    return out;
}

std::vector<Interval> walked_pieces(std::vector<Interval> of, const std::vector<Interval>& within) {
    sort_by_begin(of);
    std::vector<Interval> out;
    std::size_t i = 0;
    for (const Interval& item : of) {
        for (; i < within.size(); ++i) {
            if (within[i].end < item.begin) continue;
            if (within[i].begin > item.end) break;
            out.push_back({std::max(item.begin, within[i].begin), std::min(item.end, within[i].end)});
            if (within[i].end >= item.end) break;
        }
    }
    return out;
}

}  // namespace migrator
