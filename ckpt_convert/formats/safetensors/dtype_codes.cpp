#include "ckpt_convert/formats/safetensors/dtype_codes.h"

#include <array>

namespace ckpt {
namespace {

struct Row {
    std::string_view code;
    DType dtype;
};

constexpr std::array kRows{
    Row{"BOOL", DType::boolean},
    Row{"U8", DType::u8},
    Row{"I8", DType::i8},
    Row{"U16", DType::u16},
    Row{"I16", DType::i16},
    Row{"U32", DType::u32},
    Row{"I32", DType::i32},
    Row{"U64", DType::u64},
    Row{"I64", DType::i64},
    Row{"F16", DType::f16},
    Row{"BF16", DType::bf16},
    Row{"F32", DType::f32},
    Row{"F64", DType::f64},
    Row{"C64", DType::c64},
    Row{"F8_E4M3", DType::f8_e4m3},
    Row{"F8_E5M2", DType::f8_e5m2},
    Row{"F8_E4M3FNUZ", DType::f8_e4m3_fnuz},
    Row{"F8_E5M2FNUZ", DType::f8_e5m2_fnuz},
    Row{"F8_E8M0", DType::f8_e8m0},
    Row{"F6_E2M3", DType::f6_e2m3},
    Row{"F6_E3M2", DType::f6_e3m2},
    Row{"F4", DType::f4},
};

}  // namespace

std::optional<DType> dtype_from_safetensors_code(std::string_view code) {
    for (const Row& row : kRows) {
        if (row.code == code) return row.dtype;
    }
    return std::nullopt;
}

std::optional<std::string_view> safetensors_code(DType dtype) {
    for (const Row& row : kRows) {
        if (row.dtype == dtype) return row.code;
    }
    return std::nullopt;
}

}  // namespace ckpt
