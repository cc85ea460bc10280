#include <doctest/doctest.h>

#include "migrator/values/value_shape.h"

namespace {

using migrator::ValueShape;
using Level = ValueShape::Level;

// {"a": ("cuda", 1)} given back by a function.
ValueShape nested() {
    ValueShape shape;
    CHECK(shape.push(Level::item, 0));
    CHECK(shape.push(Level::entry));
    CHECK(shape.push(Level::result));
    return shape;
}

}  // namespace

TEST_CASE("value shape: levels come off from the outside, and are told as text") {
    ValueShape shape = nested();
    CHECK(shape.text() == "[0]{}()");
    CHECK(ValueShape::read("[0]{}()") == shape);
    CHECK(shape.top() == Level::result);
    shape.pop();
    CHECK(shape.top() == Level::entry);
    CHECK_FALSE(shape.is_sequence());
    shape.pop();
    CHECK(shape.top() == Level::item);
    CHECK(shape.index() == 0);
    CHECK(shape.is_sequence());
    shape.pop();
    CHECK(shape.is_plain());
    CHECK(shape.text().empty());
}

TEST_CASE("value shape: places far behind in a sequence are not told apart") {
    ValueShape shape;
    CHECK(shape.push(Level::item, 1'000));
    CHECK(shape.index() == ValueShape::kAny);
    CHECK(shape.text() == "[]");
    CHECK(ValueShape::read("[]{:}")->top() == Level::key);
}

TEST_CASE("value shape: what is wrapped too deeply, or is not a shape, is said so") {
    ValueShape shape;
    for (int depth = 0; depth < 8; ++depth) CHECK(shape.push(Level::item));
    CHECK_FALSE(shape.push(Level::item));
    CHECK_FALSE(ValueShape::read("[").has_value());
    CHECK_FALSE(ValueShape::read("<0>]").has_value());
}
