#include "ckpt_convert/tensor/flat_vector.h"

#include <algorithm>
#include <iterator>
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

SlicedAxis::Element SlicedAxis::element(std::uint64_t number) const {
    const std::uint64_t along = number / inner % extent, outer = number / inner / extent;
    const auto next = std::upper_bound(runs.begin(), runs.end(), along,
                                       [](std::uint64_t place, const Run& run) { return place < run.begin; });
    const Run& run = *std::prev(next);
    const std::uint64_t end = next == runs.end() ? extent : next->begin;
    const std::uint64_t in_slice = outer * slices[run.slice].extent + run.at + along - run.begin;
    return {run.slice, in_slice * inner + number % inner, (end - along) * inner - number % inner};
}

FlatVector::FlatVector(SlicedAxis axis) : rule_(Rule::slices), axis_(std::move(axis)) {}

FlatRun FlatVector::run(std::uint64_t first, std::uint64_t elements, std::uint64_t begin, std::uint64_t count) const {
    if (rule_ == Rule::slices) {
        const SlicedAxis::Element element = axis_.element(begin);
        const SlicedAxis::Slice& slice = axis_.slices[element.slice];
        const std::uint64_t its_elements = elements / axis_.extent * slice.extent;
        return slice.place.vector->run(slice.place.first, its_elements, element.number, std::min(count, element.left));
    }
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
