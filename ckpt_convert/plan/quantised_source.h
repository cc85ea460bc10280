// Quantised checkpoints: finds the values and the scales that belong together, and makes one tensor of each pair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/mapping/quantisation.h"

namespace ckpt {

// Replaces the values, scales and offsets of every quantised tensor by a tensor of `wanted`, which is f32 or bf16. Returns
// a note on what was found. Fails with unsupported when there are quantised tensors and nothing is wanted, or when a scale
// is of a type that is none; with bad_input when the shapes of values and scales do not fit. `config`: config.json.
Result<std::optional<std::string>> join_quantised(TensorIndex& index, const std::vector<QuantisationFormat>& formats,
                                                  const Json& config, std::optional<DType> wanted);

}  // namespace ckpt
