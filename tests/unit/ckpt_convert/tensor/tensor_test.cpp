#include <doctest/doctest.h>

#include "ckpt_convert/tensor/dtype.h"
#include "ckpt_convert/tensor/shape.h"

using ckpt::DType;

TEST_CASE("dtype: names go both ways and sizes are those of the formats") {
    for (int i = 0; i <= static_cast<int>(DType::f4); ++i) {
        auto dtype = static_cast<DType>(i);
        CHECK(ckpt::dtype_from_name(ckpt::name(dtype)) == dtype);
    }
    CHECK(ckpt::name(DType::f8_e4m3_fnuz) == "f8_e4m3_fnuz");
    CHECK_FALSE(ckpt::dtype_from_name("float32").has_value());
    CHECK(ckpt::bits(DType::boolean) == 8);
    CHECK(ckpt::bits(DType::bf16) == 16);
    CHECK(ckpt::bits(DType::c128) == 128);
    CHECK(ckpt::bits(DType::f6_e3m2) == 6);
    CHECK(ckpt::bits(DType::f4) == 4);
}

TEST_CASE("shape: products are checked, whatever the order of the extents") {
    CHECK(ckpt::checked_elements({}) == 1u);
    CHECK(ckpt::checked_elements({2, 3, 4}) == 24u);
    CHECK(ckpt::checked_elements({2, 0, 4}) == 0u);
    CHECK(ckpt::checked_elements({UINT64_MAX}) == UINT64_MAX);
    CHECK_FALSE(ckpt::checked_elements({2, UINT64_MAX}).has_value());
    CHECK_FALSE(ckpt::checked_elements({0, 1ull << 63, 2}).has_value());
    CHECK_FALSE(ckpt::checked_elements({1ull << 63, 2, 0}).has_value());
}

TEST_CASE("shape: bytes are whole") {
    CHECK(ckpt::checked_bytes({3, 5}, DType::f32) == 60u);
    CHECK(ckpt::checked_bytes({}, DType::c128) == 16u);
    CHECK(ckpt::checked_bytes({4}, DType::f4) == 2u);
    CHECK(ckpt::checked_bytes({4}, DType::f6_e2m3) == 3u);
    CHECK_FALSE(ckpt::checked_bytes({3}, DType::f4).has_value());
    CHECK_FALSE(ckpt::checked_bytes({1ull << 62}, DType::f32).has_value());
}

TEST_CASE("shape: strides as PyTorch counts them, and text") {
    CHECK(ckpt::row_major_strides({2, 3, 4}) == std::vector<std::uint64_t>{12, 4, 1});
    CHECK(ckpt::row_major_strides({0, 5}) == std::vector<std::uint64_t>{5, 1});
    CHECK(ckpt::row_major_strides({5, 0}) == std::vector<std::uint64_t>{1, 1});
    CHECK(ckpt::row_major_strides({}).empty());
    CHECK(ckpt::to_string({4096, 11008}) == "[4096, 11008]");
    CHECK(ckpt::to_string({}) == "[]");
}
