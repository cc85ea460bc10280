// DType: the element types that safetensors and PyTorch files can hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ckpt {

enum class DType {
    boolean,
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    u64,
    i64,
    f16,
    bf16,
    f32,
    f64,
    c64,
    c128,
    f8_e4m3,
    f8_e5m2,
    f8_e4m3_fnuz,
    f8_e5m2_fnuz,
    f8_e8m0,
    f6_e2m3,
    f6_e3m2,
    f4,
};

// Bits per element: 4 and 6 for the packed types, else a multiple of 8.
std::uint32_t bits(DType dtype);

// Name for messages and listings: "bf16", "f8_e4m3".
std::string_view name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);

}  // namespace ckpt
