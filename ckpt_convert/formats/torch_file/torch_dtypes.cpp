#include "ckpt_convert/formats/torch_file/torch_dtypes.h"

#include <array>

namespace ckpt {
namespace {

struct Row {
    DType dtype;
    std::string_view name;
    std::string_view storage;  // empty: there is no such class
};

constexpr std::array kRows{
    Row{DType::boolean, "bool", "BoolStorage"},
    Row{DType::u8, "uint8", "ByteStorage"},
    Row{DType::i8, "int8", "CharStorage"},
    Row{DType::u16, "uint16", ""},
    Row{DType::i16, "int16", "ShortStorage"},
    Row{DType::u32, "uint32", ""},
    Row{DType::i32, "int32", "IntStorage"},
    Row{DType::u64, "uint64", ""},
    Row{DType::i64, "int64", "LongStorage"},
    Row{DType::f16, "float16", "HalfStorage"},
    Row{DType::bf16, "bfloat16", "BFloat16Storage"},
    Row{DType::f32, "float32", "FloatStorage"},
    Row{DType::f64, "float64", "DoubleStorage"},
    Row{DType::c64, "complex64", "ComplexFloatStorage"},
    Row{DType::c128, "complex128", "ComplexDoubleStorage"},
    Row{DType::f8_e4m3, "float8_e4m3fn", ""},
    Row{DType::f8_e5m2, "float8_e5m2", ""},
    Row{DType::f8_e4m3_fnuz, "float8_e4m3fnuz", ""},
    Row{DType::f8_e5m2_fnuz, "float8_e5m2fnuz", ""},
    Row{DType::f8_e8m0, "float8_e8m0fnu", ""},
};

const Row* row_of(DType dtype) {
    for (const Row& row : kRows) {
        if (row.dtype == dtype) return &row;
    }
    return nullptr;
}

}  // namespace

std::optional<DType> dtype_from_torch_name(std::string_view name) {
    for (const Row& row : kRows) {
        if (row.name == name) return row.dtype;
    }
    return std::nullopt;
}

std::optional<DType> dtype_from_storage_class(std::string_view name) {
    for (const Row& row : kRows) {
        if (!name.empty() && row.storage == name) return row.dtype;
    }
    return std::nullopt;
}

std::optional<std::string_view> torch_name(DType dtype) {
    const Row* row = row_of(dtype);
    if (row == nullptr) return std::nullopt;
    return row->name;
}

std::optional<std::string_view> storage_class(DType dtype) {
    const Row* row = row_of(dtype);
    if (row == nullptr || row->storage.empty()) return std::nullopt;
    return row->storage;
}

}  // namespace ckpt
