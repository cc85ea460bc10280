// FlatVector: elements of many tensors in a row, which ranks share, each with its part in a file of its own.
//
//   row      | a a a a b b|b b b c c c|  all tensors one after the other, cut wherever a part ends
//   shares   |a a b b b c c|a a b b c 0|  of each tensor equal shares, rounded up
//   slices   |a a|a a a|a a|              of one tensor runs along an axis, each of a tensor that lies in such a vector itself
//
// Where an element lies is worked out when it is asked for: a list of all places would be as long as tensors times ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

// What a rank has of a vector.
struct FlatShare {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;  // in the file, of the first element
    std::uint64_t elements = 0;
};

// Elements that follow each other in a file.
struct FlatRun {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t elements = 0;
};

class FlatVector;

// A tensor in such a vector.
struct SharedPlace {
    std::shared_ptr<const FlatVector> vector;  // null: the tensor is in none
    std::uint64_t first = 0;
};

// A tensor that is cut along an axis into runs, which other tensors have.
struct SlicedAxis {
    struct Run {
        std::uint64_t begin = 0;  // along the axis; where the next one begins it ends
        std::size_t slice = 0;
        std::uint64_t at = 0;  // along the axis of the slice
    };
    struct Slice {
        SharedPlace place;
        std::uint64_t extent = 0;  // along the axis
    };
    // An element of a slice, and how many follow it there as in the whole.
    struct Element {
        std::size_t slice = 0;
        std::uint64_t number = 0;
        std::uint64_t left = 0;
    };

    std::vector<Slice> slices;
    std::vector<Run> runs;     // from 0 to the extent
    std::uint64_t extent = 0;  // along the axis
    std::uint64_t inner = 1;   // elements at each place along the axis

    Element element(std::uint64_t number) const;
};

class FlatVector {
public:
    enum class Rule { row, shares, slices };

    // `shares`: by rank, at least one.
    FlatVector(Rule rule, DType dtype, std::vector<FlatShare> shares);
    // Of slices: the tensor is alone in it, and has an element at least.
    explicit FlatVector(SlicedAxis axis);

    Rule rule() const { return rule_; }
    const std::vector<FlatShare>& shares() const { return shares_; }
    // How many elements of each share a tensor of `elements` has, by the rule of shares.
    std::uint64_t share_of(std::uint64_t elements) const { return (elements + shares_.size() - 1) / shares_.size(); }

    // Where the first elements from number `begin` on of a tensor are: at most `count`, at least one of them. The tensor has `elements`
    // and begins at `first`, which is counted in the vector, or by the other rule in each share.
    FlatRun run(std::uint64_t first, std::uint64_t elements, std::uint64_t begin, std::uint64_t count) const;

private:
    Rule rule_;
    std::uint64_t element_bytes_ = 0;
    std::vector<FlatShare> shares_;
    std::vector<std::uint64_t> begins_;  // of the shares in the row
    SlicedAxis axis_;                    // of slices
};

// Calls visit(run, number of its first element) for the elements from `begin` to `end` of a tensor, in their order; it returns a
// Status.
template <class Visit>
auto each_run(const SharedPlace& place, std::uint64_t elements, std::uint64_t begin, std::uint64_t end, Visit visit)
    -> decltype(visit(FlatRun(), begin)) {
    while (begin < end) {
        const FlatRun run = place.vector->run(place.first, elements, begin, end - begin);
        if (auto status = visit(run, begin); !status) return status;
        begin += run.elements;
    }
    return {};
}

}  // namespace ckpt
