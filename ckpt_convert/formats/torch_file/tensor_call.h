// Recognises the calls by which a pickle rebuilds a tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/value.h"
#include "ckpt_convert/formats/torch_file/storage_table.h"
#include "ckpt_convert/tensor/dtype.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// What a call of torch._utils._rebuild_tensor* says, not yet checked against the storage.
struct TensorCall {
    StorageReference storage;
    DType dtype = DType::f32;
    std::uint64_t offset = 0;  // elements
    Shape shape;
    std::vector<std::uint64_t> strides;  // elements; as many as there are axes
};

// nullopt when `value` is no tensor; `unsupported` for tensors without plain storage (sparse, quantised, meta ...).
Result<std::optional<TensorCall>> parse_tensor_call(pickle::Ref value, const Path& path);

// A tuple of sizes, strides or offsets, or the torch.Size made of one; nullopt when it is something else, has an item
// that is no integer from 0, or is longer than any tensor's.
std::optional<std::vector<std::uint64_t>> parse_extents(pickle::Ref value);

}  // namespace ckpt
