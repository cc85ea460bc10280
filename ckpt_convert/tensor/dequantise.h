// Numbers of few bits with scales: what the values of a quantised tensor are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

// How a value is written. Values of four bits lie two to a byte, the lower half first.
enum class ValueCode { f8_e4m3, f8_e5m2, i8, fp4, int4 };

std::optional<ValueCode> value_code(std::string_view name);
std::uint32_t bits(ValueCode code);

// Whether numbers of this type can be scales or offsets: f32, f16, bf16, or f8_e8m0, which u8 stands for too.
bool can_scale(DType dtype);

// Numbers for which can_scale holds, as f32. The byte 255 of an f8_e8m0 is NaN.
void scales_to_f32(float* to, const std::byte* from, DType dtype, std::size_t count);

// The `count` values from number `first` of `packed` on, without scales. Exact.
void decode_values(float* to, std::span<const std::byte> packed, ValueCode code, std::size_t first, std::size_t count);

}  // namespace ckpt
