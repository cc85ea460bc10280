#include "ckpt_convert/formats/safetensors/dtype_codes.h"

#include <array>

namespace ckpt {
namespace {

struct DTypeCode {
    std::string_view code;
    DType dtype;
};

constexpr std::array kDTypeCodes{
    DTypeCode{"BOOL", DType::boolean},
    DTypeCode{"U8", DType::u8},
    DTypeCode{"I8", DType::i8},
    DTypeCode{"U16", DType::u16},
    DTypeCode{"I16", DType::i16},
    DTypeCode{"U32", DType::u32},
    DTypeCode{"I32", DType::i32},
    DTypeCode{"U64", DType::u64},
    DTypeCode{"I64", DType::i64},
    DTypeCode{"F16", DType::f16},
    DTypeCode{"BF16", DType::bf16},
    DTypeCode{"F32", DType::f32},
    DTypeCode{"F64", DType::f64},
    DTypeCode{"C64", DType::c64},
    DTypeCode{"F8_E4M3", DType::f8_e4m3},
    DTypeCode{"F8_E5M2", DType::f8_e5m2},
    DTypeCode{"F8_E4M3FNUZ", DType::f8_e4m3_fnuz},
    DTypeCode{"F8_E5M2FNUZ", DType::f8_e5m2_fnuz},
    DTypeCode{"F8_E8M0", DType::f8_e8m0},
    DTypeCode{"F6_E2M3", DType::f6_e2m3},
    DTypeCode{"F6_E3M2", DType::f6_e3m2},
    DTypeCode{"F4", DType::f4},
};

}  // namespace

std::optional<DType> dtype_from_safetensors_code(std::string_view code) {
    for (const DTypeCode& row : kDTypeCodes) {
        if (row.code == code) return row.dtype;
    }
    return std::nullopt;
}

std::optional<std::string_view> safetensors_code(DType dtype) {
    for (const DTypeCode& row : kDTypeCodes) {
        if (row.dtype == dtype) return row.code;
    }
    return std::nullopt;
}

}  // namespace ckpt
