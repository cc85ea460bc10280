// How PyTorch names its element types: torch.bfloat16, torch.BFloat16Storage.
#pragma once

#include <optional>
#include <string_view>

#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

std::optional<DType> dtype_from_torch_name(std::string_view name);
std::optional<DType> dtype_from_storage_class(std::string_view name);

// nullopt for types that PyTorch does not have.
std::optional<std::string_view> torch_name(DType dtype);
// nullopt for the newer types, whose storages are untyped bytes.
std::optional<std::string_view> storage_class(DType dtype);

}  // namespace ckpt
