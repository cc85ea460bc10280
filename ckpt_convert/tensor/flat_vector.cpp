#include "ckpt_convert/tensor/flat_vector.h"

#include <algorithm>
#include <utility>

namespace ckpt {

FlatVector::FlatVector(Rule rule, DType dtype, std::vector<FlatShare> shares)
    : rule_(rule), element_bytes_(bits(dtype) / 8), shares_(std::move(shares)) {
    std::uint64_t at = 0;
    for (const FlatShare& share : shares_) {
        begins_.push_back(at);
        at += share.elements;
    }
}

FlatRun FlatVector::run(std::uint64_t first, std::uint64_t elements, std::uint64_t begin, std::uint64_t count) const {
    std::uint64_t at = 0, left = 0;  // in the share
    std::size_t rank = 0;
    if (rule_ == Rule::row) {
        const std::uint64_t in_row = first + begin;
        // Of shares that begin at the same place all but the last are empty.
        rank = static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), in_row) - begins_.begin()) - 1;
        at = in_row - begins_[rank];
        left = shares_[rank].elements - at;
    } else {
        const std::uint64_t part = share_of(elements);
        rank = static_cast<std::size_t>(begin / part);
        at = first + begin % part;
        left = part - begin % part;
    }
    return {shares_[rank].file, shares_[rank].offset + at * element_bytes_, std::min(count, left)};
}

}  // namespace ckpt
