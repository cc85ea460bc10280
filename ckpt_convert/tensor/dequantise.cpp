#include "ckpt_convert/tensor/dequantise.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

using Table = std::array<float, 256>;

// A floating-point number of 8 bits. `all_ones_finite`: E4M3 has no infinity, and only its largest magnitude is NaN.
float float8(unsigned bits, int mantissa_bits, int bias, bool all_ones_finite) {
    unsigned magnitude = bits & 0x7F, mantissa = magnitude & ((1u << mantissa_bits) - 1);
    int exponent = static_cast<int>(magnitude >> mantissa_bits);
    int top = (1 << (7 - mantissa_bits)) - 1;
    float value = 0;
    if (all_ones_finite ? magnitude == 0x7F : exponent == top && mantissa != 0) {
        value = std::numeric_limits<float>::quiet_NaN();
    } else if (!all_ones_finite && exponent == top) {
        value = std::numeric_limits<float>::infinity();
    } else {
        float fraction = static_cast<float>(mantissa) / static_cast<float>(1u << mantissa_bits);
        value = exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
    }
    return (bits & 0x80) != 0 ? -value : value;
}

float fp4(unsigned bits) {
    constexpr float kMagnitudes[] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
    float value = kMagnitudes[bits & 7];
    return (bits & 8) != 0 ? -value : value;
}

float value_of(ValueCode code, unsigned bits) {
    switch (code) {
        case ValueCode::f8_e4m3: return float8(bits, 3, 7, true);
        case ValueCode::f8_e5m2: return float8(bits, 2, 15, false);
        case ValueCode::i8: return static_cast<float>(static_cast<std::int8_t>(bits));
        case ValueCode::fp4: return fp4(bits & 15);
        case ValueCode::int4: return static_cast<float>(bits & 15) - 8;
    }
    return 0;
}

const Table& table(ValueCode code) {
    static const auto all = [] {
        std::array<Table, 5> out{};
        for (std::size_t i = 0; i < out.size(); ++i) {
            for (unsigned bits = 0; bits < 256; ++bits) out[i][bits] = value_of(static_cast<ValueCode>(i), bits);
        }
        return out;
    }();
    return all[static_cast<std::size_t>(code)];
}

}  // namespace

std::optional<ValueCode> value_code(std::string_view name) {
    constexpr std::string_view kNames[] = {"f8_e4m3", "f8_e5m2", "i8", "fp4", "int4"};
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
        if (kNames[i] == name) return static_cast<ValueCode>(i);
    }
    return std::nullopt;
}

std::uint32_t bits(ValueCode code) { return code == ValueCode::fp4 || code == ValueCode::int4 ? 4 : 8; }

bool can_scale(DType dtype) { return can_cast(dtype, DType::f32) || dtype == DType::f8_e8m0 || dtype == DType::u8; }

void scales_to_f32(float* to, const std::byte* from, DType dtype, std::size_t count) {
    CHECK(can_scale(dtype));
    if (can_cast(dtype, DType::f32)) {
        cast(reinterpret_cast<std::byte*>(to), DType::f32, from, dtype, count);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        auto exponent = std::to_integer<std::uint32_t>(from[i]);
        // 2^-127 is no normal number.
        std::uint32_t power = exponent == 0 ? 0x00400000u : exponent << 23;
        to[i] = exponent == 255 ? std::numeric_limits<float>::quiet_NaN() : std::bit_cast<float>(power);
    }
}

void decode_values(float* to, std::span<const std::byte> packed, ValueCode code, std::size_t first, std::size_t count) {
    const Table& values = table(code);
    if (bits(code) == 8) {
        for (std::size_t i = 0; i < count; ++i) to[i] = values[std::to_integer<std::size_t>(packed[first + i])];
        return;
    }
    for (std::size_t i = first; i < first + count; ++i) {
        auto pair = std::to_integer<std::size_t>(packed[i / 2]);
        to[i - first] = values[i % 2 == 0 ? pair & 15 : pair >> 4];
    }
}

}  // namespace ckpt
