#include "ckpt_convert/formats/torch_file/torch_dtypes.h"

#include <array>

namespace ckpt {
namespace {

struct TorchDType {
    DType dtype;
    std::string_view name;
    std::string_view storage;  // empty: there is no such class
};

constexpr std::array kTorchDTypes{
    TorchDType{DType::boolean, "bool", "BoolStorage"},
    TorchDType{DType::u8, "uint8", "ByteStorage"},
    TorchDType{DType::i8, "int8", "CharStorage"},
    TorchDType{DType::u16, "uint16", ""},
    TorchDType{DType::i16, "int16", "ShortStorage"},
    TorchDType{DType::u32, "uint32", ""},
    TorchDType{DType::i32, "int32", "IntStorage"},
    TorchDType{DType::u64, "uint64", ""},
    TorchDType{DType::i64, "int64", "LongStorage"},
    TorchDType{DType::f16, "float16", "HalfStorage"},
    TorchDType{DType::bf16, "bfloat16", "BFloat16Storage"},
    TorchDType{DType::f32, "float32", "FloatStorage"},
    TorchDType{DType::f64, "float64", "DoubleStorage"},
    TorchDType{DType::c64, "complex64", "ComplexFloatStorage"},
    TorchDType{DType::c128, "complex128", "ComplexDoubleStorage"},
    TorchDType{DType::f8_e4m3, "float8_e4m3fn", ""},
    TorchDType{DType::f8_e5m2, "float8_e5m2", ""},
    TorchDType{DType::f8_e4m3_fnuz, "float8_e4m3fnuz", ""},
    TorchDType{DType::f8_e5m2_fnuz, "float8_e5m2fnuz", ""},
    TorchDType{DType::f8_e8m0, "float8_e8m0fnu", ""},
};

const TorchDType* row_of(DType dtype) {
    for (const TorchDType& row : kTorchDTypes) {
        if (row.dtype == dtype) return &row;
    }
    return nullptr;
}

}  // namespace

std::optional<DType> dtype_from_torch_name(std::string_view name) {
    for (const TorchDType& row : kTorchDTypes) {
        if (row.name == name) return row.dtype;
    }
    return std::nullopt;
}

std::optional<DType> dtype_from_storage_class(std::string_view name) {
    for (const TorchDType& row : kTorchDTypes) {
        if (!name.empty() && row.storage == name) return row.dtype;
    }
    return std::nullopt;
}

std::optional<std::string_view> torch_name(DType dtype) {
    const TorchDType* row = row_of(dtype);
    if (row == nullptr) return std::nullopt;
    return row->name;
}

std::optional<std::string_view> storage_class(DType dtype) {
    const TorchDType* row = row_of(dtype);
    if (row == nullptr || row->storage.empty()) return std::nullopt;
    return row->storage;
}

}  // namespace ckpt
