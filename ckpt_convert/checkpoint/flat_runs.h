// Parameters in flat vectors that ranks share: whether the vectors are as long as the parameters ask for, and where each lies.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"
#include "ckpt_convert/tensor/flat_vector.h"

namespace ckpt {

using NamedShapes = std::vector<std::pair<std::string, Shape>>;  // in the order of the vectors

// `shares`: by rank. Fails with bad_input when they are not as long as the parameters ask for. Types are float32.
Result<std::vector<TorchDistTensor>> parameters_in(FlatVector::Rule rule, const NamedShapes& parameters,
                                                   std::vector<FlatShare> shares);

// A tensor that is alone in its vector, of which each rank has an equal share. Fails with bad_input when one is too short.
Result<SharedPlace> place_alone(const Shape& shape, DType dtype, std::vector<FlatShare> shares);

}  // namespace ckpt
