#include "base/byte_ranges.h"

#include <algorithm>
#include <iterator>

namespace base {

ByteRanges::ByteRanges(std::vector<ByteRange> ranges) {
    std::ranges::sort(ranges, {}, &ByteRange::begin);
    for (const ByteRange& range : ranges) {
        if (range.size() == 0) continue;
        if (ranges_.empty() || ranges_.back().end < range.begin) ranges_.push_back(range);
        else ranges_.back().end = std::max(ranges_.back().end, range.end);
    }
}

bool ByteRanges::contains(std::uint64_t offset) const {
    const auto next = std::ranges::upper_bound(ranges_, offset, {}, &ByteRange::begin);
    return next != ranges_.begin() && std::prev(next)->contains(offset);
}

}  // namespace base
