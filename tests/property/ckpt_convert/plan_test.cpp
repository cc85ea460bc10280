// The plan of a conversion, counted element by element.
#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "tests/property/ckpt_convert/cases.h"

using ckpt::LogicalMove;
using ckpt::Shape;
using test::Case;

namespace {

std::uint64_t elements(const Shape& shape) { return *ckpt::checked_elements(shape); }

// Calls `visit` with the number of each element of the box in a tensor. The box may have fewer axes than the tensor: the
// first ones are left out.
template <class Visit>
void for_each_element(const std::vector<std::uint64_t>& all_strides, const Shape& all_offsets, const Shape& extent,
                      Visit visit) {
    auto in_front = static_cast<std::ptrdiff_t>(all_offsets.size() - extent.size());
    Shape strides(all_strides.begin() + in_front, all_strides.end());
    Shape offset(all_offsets.begin() + in_front, all_offsets.end());
    std::uint64_t start = 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(in_front); ++axis)
        start += all_strides[axis] * all_offsets[axis];
    for (std::uint64_t n = 0; n < elements(extent); ++n) {
        std::uint64_t rest = n, at = start;
        for (std::size_t axis = extent.size(); axis-- > 0;) {
            at += (offset[axis] + rest % extent[axis]) * strides[axis];
            rest /= extent[axis];
        }
        visit(at);
    }
}

// How often each element of each tensor is touched.
using Counts = std::vector<std::vector<int>>;

Counts zeros(const std::vector<Shape>& shapes) {
    Counts out;
    for (const Shape& shape : shapes) out.emplace_back(elements(shape), 0);
    return out;
}

bool all_are(const std::vector<int>& counts, int wanted) {
    return std::all_of(counts.begin(), counts.end(), [&](int count) { return count == wanted; });
}

// Layers for multi-token prediction have copies of the embedding or of the head in Hugging Face files.
bool is_copy(std::string_view name) {
    return name.starts_with("model.layers.") &&
           (name.ends_with(".embed_tokens.weight") || name.ends_with(".shared_head.output.weight"));
}

std::uint64_t bytes_without_copies(const ckpt::TensorIndex& index) {
    std::uint64_t sum = 0;
    for (const auto& tensor : index.tensors) sum += is_copy(tensor.name) ? 0 : tensor.bytes();
    return sum;
}

std::uint64_t bytes_of_weights(const ckpt::ConversionPlan& plan) {
    std::uint64_t sum = 0;
    for (const LogicalMove& move : plan.moves) sum += elements(move.shape) * ckpt::bits(move.dtype) / 8;
    return sum;
}

// Where the elements of a piece stand, each counted once: rows that the file has once are all the same.
Shape distinct_extent(const ckpt::StoredPiece& piece) {
    Shape extent = piece.extent;
    std::size_t in_front = piece.in_stored.size() - extent.size();
    for (std::size_t axis = 0; axis < extent.size() && !piece.strides.empty(); ++axis) {
        if (piece.strides[in_front + axis] == 0) extent[axis] = 1;
    }
    return extent;
}

void check_reads(const test::PlannedMegatron& planned, bool from_hf) {
    const auto& index = planned.source.index;
    std::vector<Shape> shapes;
    for (const auto& tensor : index.tensors) shapes.push_back(tensor.shape);
    Counts read = zeros(shapes);
    for (const LogicalMove& move : planned.plan.moves) {
        std::vector<int> covered(elements(move.shape), 0);
        for (const auto& piece : move.sources) {
            for_each_element(
                piece.strides.empty() ? ckpt::row_major_strides(shapes[piece.tensor]) : piece.strides.get(),
                piece.in_stored, distinct_extent(piece), [&](std::uint64_t at) { ++read[piece.tensor][at]; });
            for_each_element(ckpt::row_major_strides(move.shape), piece.in_logical, piece.extent,
                             [&](std::uint64_t at) { ++covered[at]; });
        }
        CHECK(all_are(covered, 1));
    }
    for (std::size_t i = 0; i < read.size(); ++i) {
        CAPTURE(index.tensors[i].name);
        // A rank file also holds copies and padding, which are not read; so may a Hugging Face file.
        if (from_hf) CHECK(all_are(read[i], is_copy(index.tensors[i].name) ? 0 : 1));
        else CHECK(std::all_of(read[i].begin(), read[i].end(), [](int count) { return count <= 1; }));
    }
}

void check_writes(const test::PlannedMegatron& planned) {
    const ckpt::ConversionPlan& plan = planned.plan;
    std::vector<Shape> shapes;
    for (const auto& target : plan.targets) shapes.push_back(target.shape);
    Counts written = zeros(shapes);
    std::uint64_t distinct_bytes = 0;
    for (const LogicalMove& move : plan.moves) {
        std::vector<int> used(elements(move.shape), 0);
        for (const auto& piece : move.targets) {
            const auto& strides = plan.targets[piece.tensor].strides;
            for_each_element(strides.empty() ? ckpt::row_major_strides(shapes[piece.tensor]) : strides.get(),
                             piece.in_stored, piece.extent, [&](std::uint64_t at) { ++written[piece.tensor][at]; });
            for_each_element(ckpt::row_major_strides(move.shape), piece.in_logical, piece.extent,
                             [&](std::uint64_t at) { used[at] = 1; });
        }
        auto count = static_cast<std::uint64_t>(std::accumulate(used.begin(), used.end(), 0));
        distinct_bytes += count * ckpt::bits(move.dtype) / 8;
    }
    for (const auto& fill : plan.fills) {
        Shape offset(shapes[fill.target].size(), 0), extent = shapes[fill.target];
        offset[0] = fill.first_row;
        extent[0] = fill.rows;
        for_each_element(ckpt::row_major_strides(shapes[fill.target]), offset, extent,
                         [&](std::uint64_t at) { ++written[fill.target][at]; });
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
        CAPTURE(plan.targets[i].name);
        CHECK(all_are(written[i], 1));
    }
    CHECK(distinct_bytes == bytes_of_weights(plan));
}

}  // namespace

TEST_CASE("property: every source element is used once, every target element written once") {
    test::for_random_models(5000, 4, [](const Case& at) {
        auto to_a = test::random_options(at, "hf", "a");
        std::string layout = test::text_of(to_a);
        CAPTURE(layout);
        auto from_hf = test::plan_megatron(at.fs, to_a);
        check_reads(from_hf, true);
        check_writes(from_hf);
        CHECK(from_hf.plan.source_bytes() == bytes_without_copies(from_hf.source.index));

        test::must_convert(at.fs, to_a);
        auto to_b = test::random_options(at, "a", "b");
        std::string second = test::text_of(to_b);
        CAPTURE(second);
        auto from_a = test::plan_megatron(at.fs, to_b);
        check_reads(from_a, false);
        check_writes(from_a);
        CHECK(from_a.plan.source_bytes() == bytes_of_weights(from_hf.plan));
    });
}

TEST_CASE("property: the output is the same for every number of threads and every size of tiles") {
    test::for_random_models(6000, 4, [](const Case& at) {
        auto options = test::random_options(at, "hf", "whole");
        std::string layout = test::text_of(options);
        CAPTURE(layout);
        auto planned = test::plan_megatron(at.fs, options);
        test::write_megatron(at.fs, planned, options, 1, 1 << 20);
        for (auto [threads, tile_bytes] : {std::pair(1, 1), std::pair(5, 1), std::pair(5, 200)}) {
            auto other = options;
            other.save_dir = base::format("tiles_{}_{}", threads, tile_bytes);
            CAPTURE(other.save_dir);
            test::write_megatron(at.fs, planned, other, threads, static_cast<std::uint64_t>(tile_bytes));
            std::size_t files = 0;
            for (const base::Path& path : at.fs.files()) {
                if (!path.starts_with("whole/")) continue;
                ++files;
                CAPTURE(path);
                CHECK(at.fs.content(other.save_dir + path.substr(5)) == at.fs.content(path));
            }
            CHECK(files > 0);
        }
    });
}
