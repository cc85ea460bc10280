// The names that safetensors files give the element types: "BF16", "F8_E4M3".
#pragma once

#include <optional>
#include <string_view>

#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

std::optional<DType> dtype_from_safetensors_code(std::string_view code);
// nullopt for types that the format does not have (c128).
std::optional<std::string_view> safetensors_code(DType dtype);

}  // namespace ckpt
