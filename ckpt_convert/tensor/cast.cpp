#include "ckpt_convert/tensor/cast.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ckpt {
namespace {

// Values pass through this many floats at a time, which stay in the first-level cache.
constexpr std::size_t kBlock = 2048;

constexpr std::uint32_t kF32Infinity = 0x7F800000;
constexpr std::uint32_t kF32Magnitude = 0x7FFFFFFF;
// The smallest magnitudes that round to infinity, as bits of an f32: halfway beyond the largest finite value.
constexpr std::uint32_t kF16Overflow = 0x477FF000;
constexpr std::uint32_t kBf16Overflow = 0x7F7F8000;
// The largest magnitude that rounds to 0: half of the smallest subnormal number.
constexpr std::uint32_t kF16Underflow = 0x33000000;
constexpr std::uint32_t kBf16Underflow = 0x00008000;

// Loops over whole blocks: a known number of turns is what the compiler makes vector code of.
using Floats = float[kBlock];
using Halves = std::uint16_t[kBlock];

void bf16_to_f32(Floats& to, const Halves& from) {
    for (std::size_t i = 0; i < kBlock; ++i) to[i] = std::bit_cast<float>(std::uint32_t{from[i]} << 16);
}

void f32_to_bf16(Halves& to, const Floats& from) {
    for (std::size_t i = 0; i < kBlock; ++i) {
        auto bits = std::bit_cast<std::uint32_t>(from[i]);
        std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
        bool nan = (bits & kF32Magnitude) > kF32Infinity;
        // A NaN keeps its sign and becomes quiet: its payload could lie in the bits that are cut off.
        to[i] = static_cast<std::uint16_t>(nan ? (bits >> 16) | 0x40 : rounded);
    }
}

float f16_to_f32_scalar(std::uint16_t half) {
    std::uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7FFFu;
    if (magnitude >= 0x7C00)
        return std::bit_cast<float>(sign | kF32Infinity | (magnitude & 0x3FF) << 13 | (magnitude > 0x7C00) << 22);
    if (magnitude >= 0x0400) return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
    // Subnormal: a multiple of 2^-24, exact in an f32.
    float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

std::uint16_t f32_to_f16_scalar(float value) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    std::uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & kF32Magnitude;
    if (magnitude > kF32Infinity) return static_cast<std::uint16_t>(sign | 0x7E00 | (magnitude >> 13 & 0x3FF));
    if (magnitude >= kF16Overflow) return static_cast<std::uint16_t>(sign | 0x7C00);
    if (magnitude >= 0x38800000) {  // 2^-14, the smallest normal number
        std::uint32_t rebased = magnitude - (112u << 23);
        return static_cast<std::uint16_t>(sign | (rebased + 0xFFF + ((rebased >> 13) & 1)) >> 13);
    }
    // Subnormal: adding 0.5 leaves the value in units of 2^-24 in the lowest bits, rounded by the processor.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000));
}

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) void f16_to_f32_f16c(Floats& to, const Halves& from) {
    for (std::size_t i = 0; i < kBlock; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
}

__attribute__((target("avx,f16c"))) void f32_to_f16_f16c(Halves& to, const Floats& from) {
    for (std::size_t i = 0; i < kBlock; i += 8) {
        __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
    }
}

bool has_f16c() {
    // clang 14 does not know "f16c" as the name of a feature.
    static const bool found = [] {
        unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
        return __builtin_cpu_supports("avx") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C) != 0;
    }();
    return found;
}
#else
constexpr bool has_f16c() { return false; }
void f16_to_f32_f16c(Floats&, const Halves&) {}
void f32_to_f16_f16c(Halves&, const Floats&) {}
#endif

void f16_to_f32(Floats& to, const Halves& from) {
    if (has_f16c()) return f16_to_f32_f16c(to, from);
    for (std::size_t i = 0; i < kBlock; ++i) to[i] = f16_to_f32_scalar(from[i]);
}

void f32_to_f16(Halves& to, const Floats& from) {
    if (has_f16c()) return f32_to_f16_f16c(to, from);
    for (std::size_t i = 0; i < kBlock; ++i) to[i] = f32_to_f16_scalar(from[i]);
}

// Zeros, which fill up a block, are no losses.
CastLosses losses(const Floats& values, std::uint32_t overflow, std::uint32_t underflow) {
    std::uint32_t over = 0, under = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
        std::uint32_t magnitude = std::bit_cast<std::uint32_t>(values[i]) & kF32Magnitude;
        over += magnitude - overflow < kF32Infinity - overflow;  // at least `overflow`, and finite
        under += magnitude - 1 < underflow;                      // not 0, and at most `underflow`
    }
    return {over, under};
}

// Fills a block from `count` elements, and the rest of it with 0.
void load(Floats& to, const std::byte* from, DType type, std::size_t count) {
    if (type == DType::f32) {
        std::memcpy(to, from, count * sizeof(float));
        std::fill(to + count, to + kBlock, 0.0f);
        return;
    }
    Halves halves;
    std::memcpy(halves, from, count * sizeof(std::uint16_t));
    std::fill(halves + count, halves + kBlock, std::uint16_t{0});
    if (type == DType::f16) f16_to_f32(to, halves);
    else bf16_to_f32(to, halves);
}

CastLosses store(std::byte* to, DType type, const Floats& from, std::size_t count) {
    if (type == DType::f32) {
        std::memcpy(to, from, count * sizeof(float));
        return {};
    }
    Halves halves;
    bool f16 = type == DType::f16;
    if (f16) f32_to_f16(halves, from);
    else f32_to_bf16(halves, from);
    std::memcpy(to, halves, count * sizeof(std::uint16_t));
    return f16 ? losses(from, kF16Overflow, kF16Underflow) : losses(from, kBf16Overflow, kBf16Underflow);
}

}  // namespace

bool can_cast(DType from, DType to) {
    auto known = [](DType type) { return type == DType::f32 || type == DType::f16 || type == DType::bf16; };
    return known(from) && known(to);
}

CastLosses cast(std::byte* to, DType to_type, const std::byte* from, DType from_type, std::size_t count, float plus) {
    CHECK(can_cast(from_type, to_type));
    std::size_t to_size = bits(to_type) / 8, from_size = bits(from_type) / 8;
    if (to_type == from_type && plus == 0) {
        std::memcpy(to, from, count * to_size);
        return {};
    }
    CastLosses sum;
    Floats block;
    for (std::size_t i = 0; i < count; i += kBlock) {
        std::size_t step = std::min(kBlock, count - i);
        load(block, from + i * from_size, from_type, step);
        for (std::size_t k = 0; plus != 0 && k < step; ++k) block[k] += plus;
        sum.add(store(to + i * to_size, to_type, block, step));
    }
    return sum;
}

}  // namespace ckpt
