#include "ckpt_convert/tensor/tiling.h"

#include <utility>

#include <doctest/doctest.h>

using ckpt::Shape;

namespace {

using RawBox = std::pair<Shape, Shape>;

// "" for boxes that make up the shape.
std::string problem(const Shape& shape, const std::vector<RawBox>& boxes) {
    std::vector<ckpt::Box> views;
    for (const auto& [offsets, sizes] : boxes) views.push_back({offsets, sizes});
    return ckpt::tiling_problem(shape, views).value_or("");
}

// Chunks of one element, last axis fastest.
std::vector<RawBox> grid(const Shape& shape) {
    std::vector<RawBox> boxes;
    for (std::uint64_t i = 0; i < *ckpt::checked_elements(shape); ++i) {
        Shape at(shape.size());
        std::uint64_t rest = i;
        for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) at[axis] = rest % shape[axis];
        boxes.emplace_back(at, Shape(shape.size(), 1));
    }
    return boxes;
}

}  // namespace

TEST_CASE("chunks: those that make up a tensor") {
    CHECK(problem({}, {{{}, {}}}).empty());
    CHECK(problem({4}, {{{0}, {4}}}).empty());
    CHECK(problem({4}, {{{3}, {1}}, {{0}, {3}}}).empty());
    CHECK(problem({4, 6}, {{{0, 0}, {4, 3}}, {{0, 3}, {4, 3}}}).empty());
    CHECK(problem({4, 6}, {{{0, 0}, {4, 1}}, {{0, 1}, {2, 5}}, {{2, 1}, {2, 5}}}).empty());
    CHECK(problem({7, 5, 3}, grid({7, 5, 3})).empty());
    // No plane cuts a pinwheel.
    CHECK(problem({3, 3}, {{{0, 0}, {1, 2}}, {{0, 2}, {2, 1}}, {{2, 1}, {1, 2}}, {{1, 0}, {2, 1}}, {{1, 1}, {1, 1}}})
              .empty());
    CHECK(problem({1ull << 40, 1ull << 23}, {{{0, 0}, {1ull << 40, 1ull << 23}}}).empty());
}

TEST_CASE("chunks: empty ones") {
    CHECK(problem({0, 3}, {}).empty());
    CHECK(problem({0, 3}, {{{0, 0}, {0, 3}}, {{0, 0}, {0, 3}}}).empty());
    CHECK(problem({2}, {{{0}, {2}}, {{1}, {0}}, {{2}, {0}}}).empty());
    CHECK(problem({2}, {{{0}, {0}}}) == "the element at [0] is in no chunk");
}

TEST_CASE("chunks: gaps") {
    CHECK(problem({}, {}) == "the element at [] is in no chunk");
    CHECK(problem({4}, {}) == "the element at [0] is in no chunk");
    CHECK(problem({4}, {{{0}, {3}}}) == "the element at [3] is in no chunk");
    CHECK(problem({4}, {{{1}, {3}}}) == "the element at [0] is in no chunk");
    CHECK(problem({4}, {{{0}, {1}}, {{2}, {2}}}) == "the element at [1] is in no chunk");
    CHECK(problem({4, 6}, {{{0, 0}, {4, 3}}, {{0, 3}, {3, 3}}}) == "the element at [3, 3] is in no chunk");
    CHECK(problem({3, 3}, {{{0, 0}, {1, 2}}, {{0, 2}, {2, 1}}, {{2, 1}, {1, 2}}, {{1, 0}, {2, 1}}}) ==
          "the chunks from [0, 0] to [3, 3] leave a gap");
    auto boxes = grid({5, 5, 5});
    boxes.erase(boxes.begin() + 31);
    CHECK(problem({5, 5, 5}, boxes) == "the element at [1, 1, 1] is in no chunk");
}

TEST_CASE("chunks: overlaps") {
    CHECK(problem({}, {{{}, {}}, {{}, {}}}) == "the chunks at [] and [] overlap");
    CHECK(problem({4}, {{{0}, {4}}, {{0}, {4}}}) == "the chunks at [0] and [0] overlap");
    CHECK(problem({4}, {{{0}, {3}}, {{2}, {2}}}) == "the chunks at [0] and [2] overlap");
    CHECK(problem({4, 4}, {{{0, 0}, {4, 3}}, {{3, 2}, {1, 2}}, {{0, 3}, {3, 1}}}).find("overlap") != std::string::npos);
    auto boxes = grid({4, 4});
    boxes.push_back({{2, 1}, {1, 1}});
    CHECK(problem({4, 4}, boxes) == "the chunks at [2, 1] and [2, 1] overlap");
}

TEST_CASE("chunks: outside the tensor") {
    CHECK(problem({4}, {{{1}, {4}}}) == "the chunk at [1] of size [4] does not lie inside the tensor");
    CHECK(problem({4}, {{{5}, {0}}}) == "the chunk at [5] of size [0] does not lie inside the tensor");
    CHECK(problem({4}, {{{UINT64_MAX}, {1}}}).find("does not lie inside the tensor") != std::string::npos);
    CHECK(problem({4}, {{{0, 0}, {4, 1}}}) ==
          "the chunk at [0, 0] of size [4, 1] does not have the 1 axes of the tensor");
    CHECK(problem({4}, {{{0}, {}}}).find("does not have the 1 axes") != std::string::npos);
}

TEST_CASE("chunks: many of them") {
    CHECK(problem({300, 300}, grid({300, 300})).empty());
    CHECK(problem({10, 10, 10, 10}, grid({10, 10, 10, 10})).empty());
    // 4096 boxes that no plane cuts apart are compared with each other; one more is too many.
    for (std::uint64_t count : {4096u, 4097u}) {
        std::vector<RawBox> boxes(count, RawBox{{0}, {2}});
        CHECK(problem({2}, boxes) == (count == 4096u ? "the chunks at [0] and [0] overlap"
                                                     : "the chunks form no grid, and are too many to be checked "
                                                       "otherwise"));
    }
    // Stairs, of which every cut takes off one box.
    std::uint64_t steps = 2000;
    std::vector<RawBox> stairs;
    for (std::uint64_t i = 0; i < steps; ++i) {
        if (i % 2 == 0) stairs.push_back({{i / 2, i / 2}, {1, steps - i / 2}});
        if (i % 2 == 1) stairs.push_back({{i / 2 + 1, i / 2}, {steps - i / 2 - 1, 1}});
    }
    CHECK(problem({steps, steps}, stairs).find("too many to be checked") != std::string::npos);
}
