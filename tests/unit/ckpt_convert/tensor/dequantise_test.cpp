#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "ckpt_convert/tensor/dequantise.h"

namespace {

std::vector<float> decoded(std::vector<unsigned> bytes, ckpt::ValueCode code, std::size_t first, std::size_t count) {
    std::vector<std::byte> packed;
    for (unsigned byte : bytes) packed.push_back(std::byte(byte));
    std::vector<float> out(count);
    ckpt::decode_values(out.data(), packed, code, first, count);
    return out;
}

TEST_CASE("E4M3 has subnormal numbers, 448 as its largest, and NaN but no infinity") {
    auto values = decoded({0x00, 0x01, 0x07, 0x08, 0x38, 0x7E, 0xFE, 0x80, 0x7F}, ckpt::ValueCode::f8_e4m3, 0, 9);
    CHECK(std::vector(values.begin(), values.begin() + 7) ==
          std::vector<float>{0, 0x1p-9f, 7 * 0x1p-9f, 0x1p-6f, 1, 448, -448});
    CHECK((values[7] == 0 && std::signbit(values[7])));
    CHECK(std::isnan(values[8]));
}

TEST_CASE("E5M2 has infinities") {
    auto values = decoded({0x01, 0x3C, 0x7B, 0xFC, 0x7D}, ckpt::ValueCode::f8_e5m2, 0, 5);
    CHECK(std::vector(values.begin(), values.begin() + 4) == std::vector<float>{0x1p-16f, 1, 57344, -INFINITY});
    CHECK(std::isnan(values[4]));
}

TEST_CASE("values of four bits may begin in the middle of a byte") {
    CHECK(decoded({0x21, 0xF7}, ckpt::ValueCode::fp4, 1, 3) == std::vector<float>{1, 6, -6});
    CHECK(decoded({0x80, 0xF7}, ckpt::ValueCode::int4, 0, 4) == std::vector<float>{-8, 0, -1, 7});
}

TEST_CASE("an E8M0 scale is a power of two, or NaN") {
    std::vector<std::byte> bytes{std::byte{0}, std::byte{1}, std::byte{127}, std::byte{254}, std::byte{255}};
    std::vector<float> scales(5);
    ckpt::scales_to_f32(scales.data(), bytes.data(), ckpt::DType::f8_e8m0, 5);
    CHECK(std::vector(scales.begin(), scales.begin() + 4) == std::vector<float>{0x1p-127f, 0x1p-126f, 1, 0x1p127f});
    CHECK(std::isnan(scales[4]));
}

}  // namespace
