#include "ckpt_convert/plan/boxed_parts.h"

#include <doctest/doctest.h>

#include <random>

#include "ckpt_convert/tensor/range_boxes.h"

namespace {

// A box of experts, rows and columns that the file has as one matrix [experts * columns, rows].
ckpt::LayoutTensor flattened(const ckpt::Shape& box) {
    ckpt::LayoutTensor out;
    out.name = "w";
    out.shape = box;
    out.file_shape = {box[0] * box[2], box[1]};
    out.strides = {box[2] * box[1], 1, box[1]};
    return out;
}

ckpt::IndexedTensor part_of(const ckpt::Shape& whole, std::uint64_t row, std::uint64_t rows, std::uint64_t column,
                            std::uint64_t columns) {
    // Every part has its place in a matrix of its own, so that its elements tell their place in the whole.
    ckpt::IndexedTensor out{"w",  ckpt::DType::f32, {rows, columns}, 0, (row * whole[1] + column) * 4, {whole[1], 1},
                            false};
    out.part_offset = {row, column};
    out.whole_shape = whole;
    return out;
}

}  // namespace

TEST_CASE("boxed parts: every element of every part is where the box says, and there once") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        const ckpt::LayoutTensor tensor = flattened({1 + random() % 4, 1 + random() % 5, 1 + random() % 5});
        const ckpt::Shape& file = tensor.file_shape;
        ckpt::TensorIndex index;
        for (std::uint64_t row = 0; row < file[0];) {
            const std::uint64_t rows = 1 + random() % (file[0] - row), split = random() % (file[1] + 1);
            if (split > 0) index.tensors.push_back(part_of(file, row, rows, 0, split));
            if (split < file[1]) index.tensors.push_back(part_of(file, row, rows, split, file[1] - split));
            row += rows;
        }
        ckpt::Layout layout;
        layout.tensors.push_back(tensor);
        REQUIRE(ckpt::box_parts(index, layout).contains("w"));
        std::vector<int> times(*ckpt::checked_elements(tensor.shape), 0);
        for (const auto& part : index.tensors) {
            REQUIRE(part.whole_shape == tensor.shape);
            for (std::uint64_t i = 0; i < part.shape[0]; ++i) {
                for (std::uint64_t j = 0; j < part.shape[1]; ++j) {
                    for (std::uint64_t k = 0; k < part.shape[2]; ++k) {
                        const std::uint64_t at =
                            part.offset / 4 + i * part.strides[0] + j * part.strides[1] + k * part.strides[2];
                        const std::uint64_t e = part.part_offset[0] + i, r = part.part_offset[1] + j,
                                            c = part.part_offset[2] + k;
                        REQUIRE(at == e * tensor.strides[0] + r * tensor.strides[1] + c * tensor.strides[2]);
                        ++times[(e * tensor.shape[1] + r) * tensor.shape[2] + c];
                    }
                }
            }
        }
        CHECK(std::all_of(times.begin(), times.end(), [](int count) { return count == 1; }));
        ckpt::take_boxed(layout, {"w"});
        CHECK(layout.tensors[0].shape_in_file() == tensor.shape);
    }
}

TEST_CASE("boxed parts: what the file has whole, or with axes that are not whole ones of the box, stays") {
    ckpt::Layout layout;
    layout.tensors.push_back(flattened({2, 3, 4}));
    ckpt::TensorIndex whole;
    whole.tensors.push_back({"w", ckpt::DType::f32, {8, 3}, 0, 0, {3, 1}});
    CHECK(ckpt::box_parts(whole, layout).empty());
    layout.tensors[0].strides = {12, 2, 3};
    ckpt::TensorIndex parts;
    parts.tensors.push_back(part_of({8, 3}, 0, 4, 0, 3));
    CHECK(ckpt::box_parts(parts, layout).empty());
    CHECK(parts.tensors.size() == 1);
}

TEST_CASE("range boxes: a tensor without axes is one box") {
    CHECK(ckpt::boxes_of_range({}, 0, 1).size() == 1);
    CHECK(ckpt::boxes_of_range({}, 0, 0).empty());
    CHECK(ckpt::boxes_of_range({2, 3}, 1, 5).size() == 2);
}
