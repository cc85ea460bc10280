#include <doctest/doctest.h>

#include <string>

#include "ckpt_convert/execute/zero_blocks.h"

namespace {

constexpr std::uint64_t kPage = ckpt::ZeroBlocks::kPageBytes;

// Rows of bytes that are not zero, with zeros from one byte to another.
std::string values(std::uint64_t bytes, std::uint64_t from, std::uint64_t to) {
    std::string out(bytes, 'v');
    return out.replace(from, to - from, to - from, '\0');
}

// Of a tensor at `offset` of its file.
ckpt::ZeroBlocks blocks(const std::string& bytes, std::uint64_t row_bytes, std::uint64_t offset = 100) {
    ckpt::ZeroBlocks out(offset, bytes.size(), row_bytes);
    // In the parts that a scan has: up to a page, then several of them.
    std::string_view rest = bytes;
    while (!rest.empty()) {
        std::size_t part = rest.size() == bytes.size() ? kPage - offset : 2 * kPage;
        out.add(base::as_bytes(rest.substr(0, part)));
        rest.remove_prefix(std::min(part, rest.size()));
    }
    return out;
}

}  // namespace

TEST_CASE("zero blocks: a page of zeros within the rows of a matrix is a hole") {
    const std::uint64_t row = 3000, rows = 20;
    auto found = blocks(values(row * rows, kPage - 100, 3 * kPage - 100), row);
    CHECK(found.holes() == 1);
    CHECK(found.first_hole() == kPage);
    CHECK(found.first_hole_bytes() == 2 * kPage);
    CHECK_FALSE(found.all_zero());
    CHECK_FALSE(found.has_zero_rows());

    // To the end of the tensor, as in a file that was cut off and filled up.
    CHECK(blocks(values(row * rows, 5 * kPage - 100, row * rows), row).holes() == 1);
    // Without a whole page of the file.
    CHECK(blocks(values(row * rows, kPage, kPage + 8000), row).holes() == 0);
}

TEST_CASE("zero blocks: zeros that a model has by design are no holes") {
    const std::uint64_t row = 3000, rows = 20;
    auto padding = blocks(values(row * rows, 10 * row, row * rows), row);
    CHECK(padding.holes() == 0);
    CHECK(padding.has_zero_rows());
    // A value beside them may have zero bytes.
    auto neighbour = blocks(values(row * rows, 10 * row - 2, 15 * row + 2), row);
    CHECK(neighbour.holes() == 0);
    CHECK(neighbour.has_zero_rows());

    auto factor = blocks(values(row * rows, 0, row * rows), row);
    CHECK(factor.all_zero());
    CHECK(factor.holes() == 0);

    // A bias of which a part has no values.
    auto bias = blocks(values(row * rows, kPage, 5 * kPage), row * rows);
    CHECK(bias.holes() == 0);
    CHECK(bias.is_regular());

    // The same columns of every row.
    std::string columns;
    for (int i = 0; i < 8; ++i) columns += values(30000, 10000, 30000);
    CHECK(blocks(columns, 30000).holes() == 0);
    CHECK(blocks(columns, 30000).is_regular());
}
