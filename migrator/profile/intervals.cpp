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

namespace {

// The place behind `at`, without those that end at this time or before it; both ends are sorted.
std::size_t next_after(const std::vector<Interval>& merged, std::size_t at, Ticks time) {
    ++at;
    if (at == merged.size() || merged[at].end > time) return at;
    const auto is_over = [time](const Interval& item) { return item.end <= time; };
    return static_cast<std::size_t>(
        std::partition_point(merged.begin() + static_cast<std::ptrdiff_t>(at), merged.end(), is_over) - merged.begin());
}

}  // namespace

std::vector<Interval> common(const std::vector<Interval>& a, const std::vector<Interval>& b) {
    std::vector<Interval> out;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const Interval both{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
        if (both.begin < both.end) out.push_back(both);
        if (a[i].end < b[j].end) i = next_after(a, i, b[j].begin);
        else j = next_after(b, j, a[i].begin);
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

SortedIntervals::SortedIntervals(std::vector<Interval> intervals) : all_(std::move(intervals)) {
    sort_by_begin(all_);
    for (const Interval& item : all_)
        last_end_.push_back(last_end_.empty() ? item.end : std::max(last_end_.back(), item.end));
}

std::size_t SortedIntervals::first_after(Ticks time, std::size_t from) const {
    if (from >= size() || last_end_[from] > time) return from;
    return static_cast<std::size_t>(
        std::upper_bound(last_end_.begin() + static_cast<std::ptrdiff_t>(from), last_end_.end(), time) -
        last_end_.begin());
}

Ticks walked_length(const SortedIntervals& within, std::vector<Interval> of) {
    sort_by_begin(of);
    Ticks out = 0;
    std::size_t i = 0;
    for (std::size_t at = 0; at < within.size() && i < of.size(); ++at) {
        at = within.first_after(of[i].begin, at);
        if (at == within.size()) break;
        const Interval& outer = within[at];
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

std::vector<Interval> walked_pieces(std::vector<Interval> of, const SortedIntervals& within) {
    sort_by_begin(of);
    std::vector<Interval> out;
    std::size_t i = 0;
    for (const Interval& item : of) {
        for (i = within.first_after(item.begin - 1, i); i < within.size(); ++i) {
            if (within[i].end < item.begin) continue;
            if (within[i].begin > item.end) break;
            out.push_back({std::max(item.begin, within[i].begin), std::min(item.end, within[i].end)});
            if (within[i].end >= item.end) break;
        }
    }
    return out;
}

std::optional<std::vector<std::pair<std::size_t, std::size_t>>> pairs_in_touch(
    const std::vector<std::vector<Interval>>& lists) {
    struct Span {
        Interval time;
        std::size_t list = 0;
    };
    std::vector<Span> spans;
    constexpr std::size_t kFreeWork = 10'000'000;
    constexpr std::size_t kWorkPerInterval = 64;
    std::size_t work_left = kFreeWork;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        work_left += kWorkPerInterval * lists[i].size();
        if (lists[i].empty()) continue;
        Span& span = spans.emplace_back(Span{lists[i].front(), i});
        for (const Interval& item : lists[i]) {
            span.time.begin = std::min({span.time.begin, item.begin, item.end});
            span.time.end = std::max({span.time.end, item.begin, item.end});
        }
    }
    std::ranges::stable_sort(spans, {}, [](const Span& span) { return span.time.begin; });
    std::vector<std::pair<std::size_t, std::size_t>> out;
    std::vector<Span> open;
    for (const Span& span : spans) {
        std::erase_if(open, [&](const Span& other) { return other.time.end < span.time.begin; });
        for (const Span& other : open) {
            const std::size_t work = 1 + lists[span.list].size() + lists[other.list].size();
            if (work > work_left) return std::nullopt;
            work_left -= work;
            out.emplace_back(std::minmax(span.list, other.list));
        }
        open.push_back(span);
    }
    std::ranges::sort(out);
    return out;
}

}  // namespace migrator
