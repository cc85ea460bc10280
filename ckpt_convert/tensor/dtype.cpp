#include "ckpt_convert/tensor/dtype.h"

#include <array>
#include <cstddef>

namespace ckpt {
namespace {

struct Row {
    DType dtype;
    std::uint32_t bits;
    std::string_view name;
};

// In the order of the enumeration, so that a dtype is its row's number.
constexpr std::array kRows{
    Row{DType::boolean, 8, "bool"},
    Row{DType::u8, 8, "u8"},
    Row{DType::i8, 8, "i8"},
    Row{DType::u16, 16, "u16"},
    Row{DType::i16, 16, "i16"},
    Row{DType::u32, 32, "u32"},
    Row{DType::i32, 32, "i32"},
    Row{DType::u64, 64, "u64"},
    Row{DType::i64, 64, "i64"},
    Row{DType::f16, 16, "f16"},
    Row{DType::bf16, 16, "bf16"},
    Row{DType::f32, 32, "f32"},
    Row{DType::f64, 64, "f64"},
    Row{DType::c64, 64, "c64"},
    Row{DType::c128, 128, "c128"},
    Row{DType::f8_e4m3, 8, "f8_e4m3"},
    Row{DType::f8_e5m2, 8, "f8_e5m2"},
    Row{DType::f8_e4m3_fnuz, 8, "f8_e4m3_fnuz"},
    Row{DType::f8_e5m2_fnuz, 8, "f8_e5m2_fnuz"},
    Row{DType::f8_e8m0, 8, "f8_e8m0"},
    Row{DType::f6_e2m3, 6, "f6_e2m3"},
    Row{DType::f6_e3m2, 6, "f6_e3m2"},
    Row{DType::f4, 4, "f4"},
};

constexpr bool rows_follow_the_enumeration() {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (static_cast<std::size_t>(kRows[i].dtype) != i) return false;
    }
    return static_cast<std::size_t>(DType::f4) + 1 == kRows.size();
}
static_assert(rows_follow_the_enumeration());

const Row& row(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::uint32_t bits(DType dtype) { return row(dtype).bits; }

std::string_view name(DType dtype) { return row(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
    for (const Row& candidate : kRows) {
        if (candidate.name == name) return candidate.dtype;
    }
    return std::nullopt;
}

}  // namespace ckpt
