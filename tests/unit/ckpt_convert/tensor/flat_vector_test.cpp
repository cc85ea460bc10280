#include "ckpt_convert/tensor/flat_vector.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"

namespace {

using ckpt::FlatShare;
using ckpt::FlatVector;
using ckpt::SharedPlace;
using ckpt::SlicedAxis;

// A file of float32 whose elements are their own numbers, from the number of the file times 1000 on.
std::vector<std::uint64_t> values(const SharedPlace& place, std::uint64_t elements) {
    std::vector<std::uint64_t> out;
    REQUIRE(ckpt::each_run(place, elements, 0, elements, [&](const ckpt::FlatRun& run, std::uint64_t) -> base::Status {
        REQUIRE(run.elements > 0);
        for (std::uint64_t i = 0; i < run.elements; ++i) out.push_back(run.file * 1000 + run.offset / 4 + i);
        return {};
    }));
    return out;
}

// Of a rank: its elements are in two files.
SharedPlace slice(std::uint32_t file, std::uint64_t elements) {
    std::vector<FlatShare> shares{{file, 0, 3}, {file + 1, 0, elements - 3}};
    return {std::make_shared<const FlatVector>(FlatVector::Rule::row, ckpt::DType::f32, std::move(shares)), 0};
}

std::vector<std::uint64_t> joined(SlicedAxis axis, std::uint64_t elements) {
    return values({std::make_shared<const FlatVector>(std::move(axis)), 0}, elements);
}

}  // namespace

TEST_CASE("flat vectors of slices: along the first axis") {
    SlicedAxis axis{{{slice(0, 4), 2}, {slice(2, 6), 3}}, {{0, 0, 0}, {2, 1, 0}}, 5, 2};
    CHECK(joined(axis, 10) == std::vector<std::uint64_t>{0, 1, 2, 1000, 2000, 2001, 2002, 3000, 3001, 3002});
    axis.extent = 3;  // rows that fill up a vocabulary are left out
    CHECK(joined(axis, 6) == std::vector<std::uint64_t>{0, 1, 2, 1000, 2000, 2001});
}

TEST_CASE("flat vectors of slices: along the second axis") {
    // [2, 5] of [2, 2] and [2, 3]
    const SlicedAxis axis{{{slice(0, 4), 2}, {slice(2, 6), 3}}, {{0, 0, 0}, {2, 1, 0}}, 5, 1};
    CHECK(joined(axis, 10) == std::vector<std::uint64_t>{0, 1, 2000, 2001, 2002, 2, 1000, 3000, 3001, 3002});
}

TEST_CASE("flat vectors of slices: several parts, each of which is cut") {
    // Two parts of 2 and 3 rows; the ranks have 1 and 2 of the first, 1 and 1 of the second.
    const SlicedAxis axis{{{slice(0, 4), 4}, {slice(2, 6), 6}}, {{0, 0, 0}, {2, 1, 0}, {6, 0, 2}, {8, 1, 4}}, 10, 1};
    CHECK(joined(axis, 10) == std::vector<std::uint64_t>{0, 1, 2000, 2001, 2002, 3000, 2, 1000, 3001, 3002});
}
