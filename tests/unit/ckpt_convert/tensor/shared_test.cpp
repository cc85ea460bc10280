#include "ckpt_convert/tensor/shared.h"

#include <doctest/doctest.h>

using ckpt::Shape;
using ckpt::SharedShape;

TEST_CASE("a shared shape is read as the shape it is made of") {
    const SharedShape shape(Shape{3, 4});
    CHECK(shape.size() == 2);
    CHECK(shape[1] == 4);
    CHECK(Shape(shape.begin(), shape.end()) == Shape{3, 4});
    CHECK(ckpt::checked_elements(shape) == 12);
    CHECK(SharedShape().empty());
    CHECK(SharedShape(Shape{}).empty());
    CHECK(SharedShape().get() == Shape{});
    CHECK(sizeof(SharedShape) == sizeof(void*));
}

TEST_CASE("changing a copy leaves the other copies as they are") {
    const SharedShape first(Shape{3, 4});
    SharedShape second = first;
    second.set(1, 9);
    CHECK(first.get() == Shape{3, 4});
    CHECK(second.get() == Shape{3, 9});
    SharedShape third = std::move(second);
    second = first;
    CHECK(third.get() == Shape{3, 9});
    CHECK(second == first);
    CHECK_FALSE(third == first);
}

TEST_CASE("a pool gives one value for equal ones") {
    ckpt::SharedPool<Shape> shapes;
    const SharedShape first = shapes({3, 4}), again = shapes({3, 4}), other = shapes({4, 3});
    CHECK(&first.get() == &again.get());
    CHECK(other.get() == Shape{4, 3});
    CHECK(shapes({}).empty());
    ckpt::SharedPool<std::string> names;
    CHECK(&names("a name longer than a short string").get() == &names("a name longer than a short string").get());
}
