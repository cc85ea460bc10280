// ByteRanges: a set of bytes of a text, made of ranges that may overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "base/text_position.h"

namespace base {

class ByteRanges {
public:
    ByteRanges() = default;
    explicit ByteRanges(std::vector<ByteRange> ranges);  // in any order; they may overlap

    bool empty() const { return ranges_.empty(); }
    bool contains(std::uint64_t offset) const;

private:
    std::vector<ByteRange> ranges_;  // sorted, none touches another
};

}  // namespace base
