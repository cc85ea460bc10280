#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/execute/byte_runs.h"

namespace {

// "0:4@0 16:4@4": offset, bytes and place in the packed bytes of every run.
std::string runs_of(ckpt::ByteRuns runs) {
    std::vector<std::string> out;
    auto status = runs.each([&](std::uint64_t offset, std::uint64_t packed, std::uint64_t bytes) -> base::Status {
        out.push_back(base::format("{}:{}@{}", offset, bytes, packed));
        return {};
    });
    REQUIRE(status);
    return base::joined(out, " ");
}

using Strides = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("byte runs: whole rows are one run") {
    ckpt::ByteRuns runs({2, 4}, {8, 2}, 2, false);
    CHECK(runs.is_single());
    CHECK(runs.packed_strides == Strides{8, 2});
    CHECK(runs_of(runs) == "0:16@0");
    CHECK(runs_of({{}, {}, 2, false}) == "0:2@0");
}

TEST_CASE("byte runs: columns are a run per row, packed one after the other") {
    ckpt::ByteRuns runs({3, 2}, {16, 2}, 2, false);
    CHECK(runs.packed_strides == Strides{4, 2});
    CHECK(runs.total_bytes() == 12);
    CHECK(runs_of(runs) == "0:4@0 16:4@4 32:4@8");
}

TEST_CASE("byte runs: a transposed box is packed in the order of the memory") {
    ckpt::ByteRuns runs({2, 3}, {2, 8}, 2, false);
    CHECK(runs.packed_strides == Strides{2, 4});
    CHECK(runs_of(runs) == "0:4@0 8:4@4 16:4@8");
    ckpt::ByteRuns whole({4, 3}, {2, 8}, 2, false);
    CHECK(whole.is_single());
    CHECK(whole.packed_strides == Strides{2, 8});
}

TEST_CASE("byte runs: several axes outside") {
    CHECK(runs_of({{2, 2, 2}, {100, 10, 2}, 2, false}) == "0:4@0 10:4@4 100:4@8 110:4@12");
}

TEST_CASE("byte runs: elements with gaps between them are read with the gaps, and written one by one") {
    CHECK(runs_of({{2, 3}, {20, 4}, 2, true}) == "0:10@0 20:10@10");
    CHECK(ckpt::ByteRuns({2, 3}, {20, 4}, 2, true).packed_strides == Strides{10, 4});
    CHECK(runs_of({{2, 2}, {20, 4}, 2, false}) == "0:2@0 4:2@2 20:2@4 24:2@6");
}

TEST_CASE("byte runs: a broadcast is read once") {
    ckpt::ByteRuns runs({3, 2}, {0, 2}, 2, true);
    CHECK(runs.is_single());
    CHECK(runs.total_bytes() == 4);
    CHECK(runs.packed_strides == Strides{0, 2});
}
