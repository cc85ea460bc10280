#include <doctest/doctest.h>

#include "ckpt_convert/formats/torch_dist/flattened_tensor.h"

using ckpt::Shape;

namespace {

// A tensor of f32 whose flat parts are cut at `cuts`, all in one file: part by part, without gaps.
ckpt::TorchDistTensor flat(const Shape& stored, const std::vector<std::uint64_t>& cuts) {
    ckpt::TorchDistTensor out{"w", ckpt::DType::f32, stored, {}};
    Shape parts(stored.begin(), stored.end() - 1);
    std::uint64_t count = *ckpt::checked_elements(parts), place = 100;
    for (std::uint64_t part = 0; part < count; ++part) {
        Shape at;
        for (std::uint64_t stride : ckpt::row_major_strides(parts)) at.push_back(part / stride);
        for (std::size_t axis = 1; axis < at.size(); ++axis) at[axis] %= parts[axis];
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
            ckpt::TorchDistChunk chunk;
            chunk.offsets = at;
            chunk.offsets.push_back(cuts[i]);
            chunk.sizes = Shape(at.size(), 1);
            chunk.sizes.push_back(cuts[i + 1] - cuts[i]);
            chunk.file_offset = place;
            chunk.strides = ckpt::row_major_strides(chunk.sizes);
            place += chunk.sizes.back() * 4;
            out.chunks.push_back(std::move(chunk));
        }
    }
    return out;
}

// Where the file has each element of the whole tensor; 0: nowhere, or twice.
std::vector<std::uint64_t> places(const ckpt::TorchDistTensor& tensor) {
    std::vector<std::uint64_t> out(*ckpt::checked_elements(tensor.shape), 0);
    auto steps = ckpt::row_major_strides(tensor.shape);
    for (const auto& chunk : tensor.chunks) {
        auto inner = ckpt::row_major_strides(chunk.sizes);
        for (std::uint64_t i = 0; i < *ckpt::checked_elements(chunk.sizes); ++i) {
            std::uint64_t element = 0, at = chunk.file_offset;
            for (std::size_t axis = 0; axis < steps.size(); ++axis) {
                std::uint64_t index = i / inner[axis] % chunk.sizes[axis];
                element += (chunk.offsets[axis] + index) * steps[axis];
                at += index * chunk.strides[axis] * 4;
            }
            out[element] = out[element] == 0 ? at : 0;
        }
    }
    return out;
}

}  // namespace

TEST_CASE("torch_dist: flattened tensors become boxes, wherever their ranges are cut") {
    const Shape whole{4, 6, 10};
    // Parts of [2, 3, 10], which lie behind each other in the file.
    std::vector<std::uint64_t> wanted;
    for (std::uint64_t x = 0; x < 4; ++x) {
        for (std::uint64_t y = 0; y < 6; ++y) {
            for (std::uint64_t z = 0; z < 10; ++z) {
                std::uint64_t part = x / 2 * 2 + y / 3, inside = (x % 2 * 3 + y % 3) * 10 + z;
                wanted.push_back(100 + (part * 60 + inside) * 4);
            }
        }
    }
    for (std::uint64_t first = 0; first <= 60; ++first) {
        for (std::uint64_t second = first; second <= 60; second += 7) {
            auto found = ckpt::unflattened(flat({2, 2, 1, 60}, {0, first, second, 60}), whole);
            REQUIRE(found);
            CHECK(found->shape == whole);
            REQUIRE(places(*found) == wanted);
        }
    }
    auto one = ckpt::unflattened(flat({2, 2, 1, 60}, {0, 60}), whole);
    CHECK(one->chunks.size() == 4);
    CHECK(one->chunks[3].offsets == Shape{2, 3, 0});
    CHECK(one->chunks[3].sizes == Shape{2, 3, 10});
}

TEST_CASE("torch_dist: shapes that do not belong together are no flattened tensor") {
    auto stored = flat({2, 2, 1, 60}, {0, 60});
    CHECK_FALSE(ckpt::unflattened(stored, {4, 6, 20}));
    CHECK_FALSE(ckpt::unflattened(stored, {5, 6, 10}));
    CHECK_FALSE(ckpt::unflattened(stored, {4, 60}));
    CHECK_FALSE(ckpt::unflattened(stored, {0, 6, 10}));
}
