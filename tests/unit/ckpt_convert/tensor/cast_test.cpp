// Casts against the definition of the formats in double arithmetic, which holds all of them exactly.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "ckpt_convert/tensor/cast.h"

using ckpt::CastLosses;
using ckpt::DType;

namespace {

// A 16-bit format by its definition.
struct Half {
    DType type;
    int mantissa_bits;
    int least_exponent;  // of normal numbers
    double overflow;     // the least magnitude that rounds to infinity

    std::uint16_t infinity() const {
        return static_cast<std::uint16_t>(((1 << (15 - mantissa_bits)) - 1) << mantissa_bits);
    }
    bool is_nan(std::uint16_t bits) const { return (bits & 0x7FFF) > infinity(); }

    double decoded(std::uint16_t bits) const {
        int exponent = (bits & 0x7FFF) >> mantissa_bits, mantissa = bits & ((1 << mantissa_bits) - 1);
        double value = exponent == 0
                           ? std::ldexp(mantissa, least_exponent - mantissa_bits)
                           : std::ldexp((1 << mantissa_bits) + mantissa, exponent - 1 + least_exponent - mantissa_bits);
        if ((bits & 0x7FFF) == infinity()) value = INFINITY;
        return bits & 0x8000 ? -value : value;
    }

    // Nearest, ties to even.
    std::uint16_t encoded(double value) const {
        std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
        double magnitude = std::fabs(value);
        if (magnitude >= overflow) return sign | infinity();
        int exponent = magnitude == 0 ? least_exponent : std::max(std::ilogb(magnitude), least_exponent);
        // In units of the last place; may reach the next power of two, whose pattern follows.
        auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent)));
        return static_cast<std::uint16_t>(sign | (((exponent - least_exponent) << mantissa_bits) + units));
    }
};

const Half kF16{DType::f16, 10, -14, 65520.0};
const Half kBf16{DType::bf16, 7, -126, 0x1.FFp127};

std::vector<std::uint16_t> all_patterns() {
    std::vector<std::uint16_t> out(65536);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint16_t>(i);
    return out;
}

template <class To, class From>
std::vector<To> casted(const std::vector<From>& values, DType to, DType from, CastLosses* losses = nullptr) {
    std::vector<To> out(values.size());
    auto lost = ckpt::cast(reinterpret_cast<std::byte*>(out.data()), to,
                           reinterpret_cast<const std::byte*>(values.data()), from, values.size());
    if (losses != nullptr) *losses = lost;
    return out;
}

// Every value of the format, every point halfway between two of them, and their neighbours; and any bits at all.
std::vector<float> interesting(const Half& half) {
    std::vector<float> out;
    for (std::uint16_t bits : all_patterns()) {
        if (half.is_nan(bits) || (bits & 0x7FFF) == half.infinity()) continue;
        double value = half.decoded(bits);
        double next = (bits & 0x7FFF) + 1 == half.infinity() ? std::copysign(half.overflow, value) * 2 - value
                                                             : half.decoded(static_cast<std::uint16_t>(bits + 1));
        auto middle = static_cast<float>((value + next) / 2);
        for (float f : {static_cast<float>(value), middle, std::nextafter(middle, 0.0f),
                        std::nextafter(middle, std::copysign(INFINITY, middle))})
            out.push_back(f);
    }
    std::mt19937 random(11);
    for (int i = 0; i < 100'000; ++i) out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    return out;
}

void check_rounding(const Half& half) {
    std::vector<float> values = interesting(half);
    CastLosses losses, expected;
    auto found = casted<std::uint16_t>(values, half.type, DType::f32, &losses);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) {
            bool sign_kept = (found[i] & 0x8000) == (std::bit_cast<std::uint32_t>(values[i]) >> 16 & 0x8000);
            wrong += !half.is_nan(found[i]) || !sign_kept;
            continue;
        }
        std::uint16_t wanted = half.encoded(values[i]);
        wrong += found[i] != wanted;
        expected.overflowed += std::isfinite(values[i]) && (wanted & 0x7FFF) == half.infinity();
        expected.underflowed += values[i] != 0 && (wanted & 0x7FFF) == 0;
    }
    CHECK(wrong == 0);
    CHECK(losses.overflowed == expected.overflowed);
    CHECK(losses.underflowed == expected.underflowed);
    CHECK(losses.any());
}

}  // namespace

TEST_CASE("cast: all values of f16 and bf16 become the same f32, and themselves again") {
    for (const Half& half : {kF16, kBf16}) {
        CAPTURE(ckpt::name(half.type));
        auto patterns = all_patterns();
        CastLosses losses;
        auto floats = casted<float>(patterns, DType::f32, half.type, &losses);
        CHECK_FALSE(losses.any());
        auto back = casted<std::uint16_t>(floats, half.type, DType::f32, &losses);
        CHECK_FALSE(losses.any());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            bool negative = (patterns[i] & 0x8000) != 0;
            if (half.is_nan(patterns[i])) {
                wrong += !std::isnan(floats[i]) || std::signbit(floats[i]) != negative;
                wrong += !half.is_nan(back[i]) || (back[i] & 0x8000) != (patterns[i] & 0x8000);
            } else {
                wrong += double{floats[i]} != half.decoded(patterns[i]) || std::signbit(floats[i]) != negative;
                wrong += back[i] != patterns[i];
            }
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("cast: f32 is rounded to the nearest, ties to even, in every neighbourhood") {
    check_rounding(kF16);
    check_rounding(kBf16);
}

TEST_CASE("cast: borders by hand") {
    struct Row {
        float value;
        std::uint16_t f16;
        std::uint16_t bf16;
    };
    const Row rows[] = {
        {1.0f, 0x3C00, 0x3F80},
        {-2.0f, 0xC000, 0xC000},
        {65504.0f, 0x7BFF, 0x4780},
        {65519.996f, 0x7BFF, 0x4780},
        {65520.0f, 0x7C00, 0x4780},
        {0x1p-24f, 0x0001, 0x3380},
        {0x1p-25f, 0x0000, 0x3300},
        {0x1.000002p-25f, 0x0001, 0x3300},
        {1.0f + 0x1p-11f, 0x3C00, 0x3F80},
        {1.0f + 0x1.8p-10f, 0x3C02, 0x3F80},
        {1.0f + 0x1p-8f, 0x3C04, 0x3F80},
        {1.0f + 0x1.8p-7f, 0x3C0C, 0x3F82},
        {-0.0f, 0x8000, 0x8000},
    };
    for (const Row& row : rows) {
        CAPTURE(row.value);
        CHECK(casted<std::uint16_t>(std::vector{row.value}, DType::f16, DType::f32)[0] == row.f16);
        CHECK(casted<std::uint16_t>(std::vector{row.value}, DType::bf16, DType::f32)[0] == row.bf16);
    }
}

TEST_CASE("cast: a signalling NaN with bits only at the end stays a NaN") {
    std::vector<std::uint32_t> nans{0x7F800001, 0xFF800001, 0x7FFFFFFF, 0x7F801000};
    for (const Half& half : {kF16, kBf16}) {
        for (std::uint16_t bits : casted<std::uint16_t>(nans, half.type, DType::f32)) CHECK(half.is_nan(bits));
    }
}

TEST_CASE("cast: between the two short types the losses are counted, at any number of values") {
    for (std::size_t count :
         {std::size_t{1}, std::size_t{7}, std::size_t{2048}, std::size_t{2049}, std::size_t{5003}}) {
        CAPTURE(count);
        std::vector<std::uint16_t> large(count, 0x7F00);  // 2^127
        CastLosses losses;
        auto halves = casted<std::uint16_t>(large, DType::f16, DType::bf16, &losses);
        CHECK(halves == std::vector<std::uint16_t>(count, 0x7C00));
        CHECK(losses.overflowed == count);
        CHECK(losses.underflowed == 0);
        std::vector<std::uint16_t> tiny(count, 0x0080);  // 2^-126
        CHECK(casted<std::uint16_t>(tiny, DType::f16, DType::bf16, &losses) == std::vector<std::uint16_t>(count, 0));
        CHECK(losses.underflowed == count);
        std::vector<std::uint16_t> least(count, 0x0001);  // 2^-24, a normal number in bf16
        CHECK(casted<std::uint16_t>(least, DType::bf16, DType::f16, &losses) ==
              std::vector<std::uint16_t>(count, 0x3380));
        CHECK_FALSE(losses.any());
    }
}

TEST_CASE("cast: a number is added before the value is rounded, once") {
    auto sum = [](std::uint16_t value, DType to, float plus) {
        std::uint32_t out = 0;
        ckpt::cast(reinterpret_cast<std::byte*>(&out), to, reinterpret_cast<const std::byte*>(&value), DType::bf16, 1,
                   plus);
        return out;
    };
    CHECK(sum(0x3F81, DType::bf16, -1) == 0x3C00);    // 1 + 2^-7 - 1
    CHECK(sum(0x3C00, DType::bf16, 1) == 0x3F81);     // and back
    CHECK(sum(0x3B80, DType::bf16, 1) == 0x3F80);     // 1 + 2^-8 is halfway, to even
    CHECK(sum(0x3B80, DType::f32, 1) == 0x3F808000);  // which f32 has room for
    CHECK(sum(0xBF80, DType::bf16, 1) == 0x0000);
}

TEST_CASE("cast: only floating-point types are cast, and none is lost on the way to itself") {
    CHECK(ckpt::can_cast(DType::f32, DType::bf16));
    CHECK(ckpt::can_cast(DType::f16, DType::bf16));
    CHECK_FALSE(ckpt::can_cast(DType::f64, DType::f32));
    CHECK_FALSE(ckpt::can_cast(DType::bf16, DType::i16));
    CHECK_FALSE(ckpt::can_cast(DType::f8_e4m3, DType::bf16));
    CHECK(casted<std::uint16_t>(all_patterns(), DType::f16, DType::f16) == all_patterns());
}
